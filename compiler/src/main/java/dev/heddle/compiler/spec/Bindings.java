package dev.heddle.compiler.spec;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Arguments of a call joined with the parameters of a function: by position, then by name; all must
 * be given.
 */
final class Bindings {
  private Bindings() {}

  static Map<String, Val> of(Expr.Call c, String name, List<String> parameters, List<Val> values) {
    Map<String, Val> locals = new HashMap<>();
    int position = 0;
    for (int i = 0; i < values.size(); i++) {
      Expr.Argument a = c.arguments().get(i);
      String parameter =
          a.name() != null
              ? a.name()
              : position < parameters.size() ? parameters.get(position++) : null;
      if (parameter == null || !parameters.contains(parameter)) {
        String what =
            parameter == null
                ? "takes " + count(parameters.size()) + ", not " + values.size()
                : "has no parameter '" + parameter + "'";
        throw new Fault(
            a.span(),
            "'"
                + name
                + "' "
                + what
                + (parameter == null ? "" : Names.suggestion(parameter, parameters)));
      }
      if (locals.put(parameter, values.get(i)) != null) {
        throw new Fault(a.span(), "'" + name + "' is given '" + parameter + "' twice");
      }
    }
    for (String parameter : parameters) {
      if (!locals.containsKey(parameter)) {
        throw new Fault(c.span(), "'" + name + "' needs an argument for '" + parameter + "'");
      }
    }
    return locals;
  }

  private static String count(int arguments) {
    return arguments == 1 ? "1 argument" : arguments + " arguments";
  }
}
