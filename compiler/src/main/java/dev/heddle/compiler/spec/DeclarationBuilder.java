package dev.heddle.compiler.spec;

import dev.heddle.compiler.spec.grammar.ModelSpecParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns the parse tree of a file into a {@link Spec}; reports names declared twice and lists of
 * unequal length.
 */
final class DeclarationBuilder extends AstBuilder {
  private final Diagnostics diagnostics;
  private final List<Spec.Param> params = new ArrayList<>();
  private final List<Spec.Config> configs = new ArrayList<>();
  private final List<Spec.Weight> weights = new ArrayList<>();
  private final List<Spec.Pattern> patterns = new ArrayList<>();
  private final List<Spec.State> states = new ArrayList<>();
  private final List<Spec.Def> defs = new ArrayList<>();
  private final List<Spec.Layer> layers = new ArrayList<>();
  private final List<Spec.GraphDef> graphs = new ArrayList<>();
  private final Map<String, Span> declared = new HashMap<>();

  DeclarationBuilder(Diagnostics diagnostics) {
    this.diagnostics = diagnostics;
  }

  Spec build(String file, String text, ModelSpecParser.FileContext tree) {
    for (ModelSpecParser.DeclContext decl : tree.decl()) {
      declaration(decl);
    }
    return new Spec(
        file,
        text,
        tree.name().getText(),
        params,
        configs,
        weights,
        patterns,
        states,
        defs,
        layers,
        graphs);
  }

  private void declaration(ModelSpecParser.DeclContext decl) {
    if (decl.param() != null) {
      param(decl.param());
    } else if (decl.config() != null) {
      config(decl.config());
    } else if (decl.weightDecl() != null) {
      weight(decl.weightDecl().weight(), null, List.of());
    } else if (decl.blockDecl() != null) {
      block(decl.blockDecl());
    } else if (decl.ignoreDecl() != null) {
      decl.ignoreDecl()
          .STRING()
          .forEach(s -> patterns.add(new Spec.Pattern(span(s.getSymbol()), unquote(s), null)));
    } else if (decl.refuseDecl() != null) {
      refuse(decl.refuseDecl());
    } else if (decl.stateDecl() != null) {
      state(decl.stateDecl());
    } else if (decl.defDecl() != null) {
      def(decl.defDecl());
    } else if (decl.layerDecl() != null) {
      layer(decl.layerDecl());
    } else {
      graph(decl.graphDecl());
    }
  }

  /** Remembers a name of the file's namespace. */
  private void declare(String what, String name, Span span) {
    Span before = declared.putIfAbsent(name, span);
    if (before != null) {
      diagnostics.add(
          span, what + " '" + name + "' has the name of a declaration on line " + before.line());
    }
  }

  private void param(ModelSpecParser.ParamContext p) {
    List<ModelSpecParser.NameContext> all = p.name();
    List<ModelSpecParser.NameContext> names = all.subList(0, all.size() - 1);
    int lengths = p.length == null ? 0 : 1;
    int values = p.expr().size() - lengths - (p.deflt == null ? 0 : 1);
    if (values != names.size()) {
      diagnostics.add(
          span(p.name(0)),
          names.size() + " parameters need as many keys or formulas, not " + values);
      return;
    }
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i).getText();
      declare("parameter", name, span(names.get(i)));
      params.add(
          new Spec.Param(
              span(names.get(i)),
              name,
              p.type.getText(),
              exprOrNull(p.length),
              expr(p.expr(lengths + i)),
              exprOrNull(p.deflt),
              p.requirement().stream().map(r -> requirement(name, r)).toList()));
    }
  }

  private Spec.Requirement requirement(String param, ModelSpecParser.RequirementContext r) {
    String sentence = r.STRING() == null ? null : unquote(r.STRING());
    if (r.own() == null) {
      return new Spec.Requirement(span(r.expr()), written(r.expr()), expr(r.expr()), sentence);
    }
    return new Spec.Requirement(
        span(r.own()), param + " " + written(r.own()), own(param, r.own()), sentence);
  }

  private void config(ModelSpecParser.ConfigContext c) {
    List<Spec.Setting> settings = new ArrayList<>();
    List<String> flags = new ArrayList<>();
    List<Spec.With> with = new ArrayList<>();
    for (ModelSpecParser.SettingContext s : c.setting()) {
      switch (s) {
        case ModelSpecParser.SettingWithContext w ->
            with.add(new Spec.With(span(w.name()), w.name().getText(), arguments(w.arguments())));
        case ModelSpecParser.SettingValueContext v ->
            settings.add(new Spec.Setting(span(v.name()), v.name().getText(), expr(v.expr())));
        case ModelSpecParser.SettingFlagContext f -> {
          if (!f.getText().equals("tied")) {
            diagnostics.add(
                span(f),
                "a config has values (E=1024), 'tied', and 'with WEIGHT', not '"
                    + f.getText()
                    + "'");
          }
          flags.add(f.getText());
        }
        default -> throw new IllegalStateException("unknown setting " + s.getText());
      }
    }
    String name = unquote(c.STRING());
    if (configs.stream().anyMatch(other -> other.name().equalsIgnoreCase(name))) {
      diagnostics.add(span(c.STRING().getSymbol()), "there are two configs named '" + name + "'");
    }
    configs.add(new Spec.Config(span(c.STRING().getSymbol()), name, settings, flags, with));
  }

  private void block(ModelSpecParser.BlockDeclContext b) {
    String name = b.name(0).getText();
    Spec.Block block =
        new Spec.Block(span(b.name(0)), name, b.var.getText(), expr(b.from), expr(b.to));
    declare("block", name, block.span());
    blockItems(b.blockItem(), block, List.of());
  }

  private void blockItems(
      List<ModelSpecParser.BlockItemContext> items, Spec.Block block, List<Expr> conditions) {
    for (ModelSpecParser.BlockItemContext item : items) {
      switch (item) {
        case ModelSpecParser.ItemWeightContext w -> weight(w.weight(), block, conditions);
        case ModelSpecParser.ItemWhenContext w -> {
          List<Expr> inner = new ArrayList<>(conditions);
          inner.add(expr(w.expr()));
          blockItems(w.blockItem(), block, inner);
        }
        default -> throw new IllegalStateException("unknown item " + item.getText());
      }
    }
  }

  private void weight(ModelSpecParser.WeightContext w, Spec.Block block, List<Expr> conditions) {
    List<Spec.Alternative> alternatives = new ArrayList<>();
    for (ModelSpecParser.AlternativeContext a : w.alternative()) {
      switch (a) {
        case ModelSpecParser.FromWeightContext f ->
            alternatives.add(new Spec.Alternative(span(f), null, f.getText(), null, null));
        case ModelSpecParser.FromTensorContext t -> {
          Expr from = t.from == null ? null : sum(t.from);
          Expr to = t.to == null ? null : sum(t.to);
          alternatives.add(
              new Spec.Alternative(
                  span(t.STRING().getSymbol()), unquote(t.STRING()), null, from, to));
        }
        default -> throw new IllegalStateException("unknown alternative " + a.getText());
      }
    }
    boolean optional = w.getStop().getText().equals("optional");
    String name = w.name().getText();
    declare("weight", block == null ? name : block.name() + "." + name, span(w.name()));
    weights.add(
        new Spec.Weight(
            span(w.name()),
            name,
            block,
            exprs(w.shape().expr()),
            written(w.shape()),
            alternatives,
            optional,
            conditions));
  }

  private void refuse(ModelSpecParser.RefuseDeclContext r) {
    List<org.antlr.v4.runtime.tree.TerminalNode> texts = r.STRING();
    String remedy = unquote(texts.getLast());
    texts
        .subList(0, texts.size() - 1)
        .forEach(s -> patterns.add(new Spec.Pattern(span(s.getSymbol()), unquote(s), remedy)));
  }

  private void state(ModelSpecParser.StateDeclContext s) {
    for (ModelSpecParser.StateNameContext n : s.stateName()) {
      String name = n.name(0).getText();
      declare("state", name, span(n.name(0)));
      states.add(
          new Spec.State(
              span(n.name(0)),
              name,
              n.name(1).getText(),
              exprs(s.shape().expr()),
              s.element.getText(),
              s.rollback.getText(),
              exprOrNull(s.expr())));
    }
  }

  private void def(ModelSpecParser.DefDeclContext d) {
    String name = d.name().getText();
    declare("def", name, span(d.name()));
    String role = d.role() == null ? null : d.role().name().getText();
    defs.add(new Spec.Def(span(d.name()), name, names(d.names()), role, body(d.body())));
  }

  private void layer(ModelSpecParser.LayerDeclContext d) {
    String name = d.name().getText();
    declare("layer", name, span(d.name()));
    layers.add(
        new Spec.Layer(
            span(d.name()), name, names(d.names()), exprOrNull(d.expr()), body(d.body())));
  }

  private void graph(ModelSpecParser.GraphDeclContext g) {
    String name = g.name(0).getText();
    declare("graph", name, span(g.name(0)));
    String bound = g.name().size() > 1 ? g.name(1).getText() : null;
    int bindings = bound == null ? 0 : 1;
    Expr when = g.expr().size() > bindings ? expr(g.expr(0)) : null;
    Expr value = bound == null ? null : expr(g.expr().getLast());
    graphs.add(
        new Spec.GraphDef(
            span(g.name(0)), name, names(g.names()), when, bound, value, body(g.body())));
  }

  private Spec.Body body(ModelSpecParser.BodyContext tree) {
    return switch (tree) {
      case ModelSpecParser.BodyExprContext e -> {
        Expr value = expr(e.expr());
        yield new Spec.Body(span(e), List.of(new Spec.Statement.Return(value.span(), null, value)));
      }
      case ModelSpecParser.BodyBlockContext b -> {
        List<Spec.Statement> list = new ArrayList<>();
        b.statement().forEach(s -> statement(s, list));
        yield new Spec.Body(span(b), list);
      }
      default -> throw new IllegalStateException("unknown body " + tree.getText());
    };
  }

  private void statement(ModelSpecParser.StatementContext tree, List<Spec.Statement> list) {
    switch (tree) {
      case ModelSpecParser.AssignsContext a ->
          list.add(
              new Spec.Statement.Assign(
                  span(a.name()), List.of(a.name().getText()), expr(a.expr())));
      case ModelSpecParser.UnpacksContext u ->
          list.add(
              new Spec.Statement.Assign(
                  span(u.name(0)),
                  u.name().stream().map(n -> n.getText()).toList(),
                  expr(u.expr())));
      case ModelSpecParser.GivesContext r ->
          list.add(
              new Spec.Statement.Return(
                  span(r.getStart()),
                  r.name() == null ? null : r.name().getText(),
                  expr(r.expr())));
      case ModelSpecParser.CapturesContext c ->
          list.add(
              new Spec.Statement.Capture(
                  span(c.name(0)), c.name(0).getText(), exprOrNull(c.expr())));
      case ModelSpecParser.EmptyContext e -> {}
      default -> throw new IllegalStateException("unknown statement " + tree.getText());
    }
  }
}
