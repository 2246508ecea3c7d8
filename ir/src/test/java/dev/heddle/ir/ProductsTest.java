package dev.heddle.ir;

import static dev.heddle.ir.Evaluation.INF;
import static dev.heddle.ir.Evaluation.NAN;
import static dev.heddle.ir.Evaluation.check;
import static dev.heddle.ir.Evaluation.eval;
import static dev.heddle.ir.Evaluation.eval32;
import static dev.heddle.ir.Evaluation.ints;
import static dev.heddle.ir.Evaluation.reals;
import static dev.heddle.ir.Evaluation.row;
import static dev.heddle.ir.Evaluation.shape;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ProductsTest {
  /** {2, 3} in GGUF's order: three outputs of two inputs. */
  private static final Tensor W = reals(shape(3, 2), 1, 2, 3, 4, 5, 6);

  @Test
  void embedScalesRowsOfTheTable() {
    check(eval(new Op.Embed(2), W, ints(shape(2), 2, 0)), shape(2, 2), 10, 12, 2, 4);
    check(eval(new Op.Embed(1), W, ints(shape(0))), shape(0, 2));
  }

  @Test
  void embedRefusesForeignIds() {
    Exception e =
        assertThrows(
            IllegalArgumentException.class, () -> eval(new Op.Embed(1), W, ints(shape(1), 3)));
    assertEquals("token id 3 is outside 0 .. 2", e.getMessage());
  }

  @Test
  void matmulSumsOverInputs() {
    Tensor x = reals(shape(2, 2), 1, 10, -1, 0);
    check(eval(new Op.Matmul(false, false), W, x), shape(2, 3), 21, 43, 65, -1, -3, -5);
    Tensor bias = reals(shape(3), 100, 200, 300);
    Tensor half = reals(shape(1), 0.5);
    check(eval(new Op.Matmul(true, false), W, row(1, 10), bias), shape(1, 3), 121, 243, 365);
    check(eval(new Op.Matmul(false, true), W, row(1, 10), half), shape(1, 3), 10.5, 21.5, 32.5);
    check(
        eval(new Op.Matmul(true, true), W, row(1, 10), bias, half),
        shape(1, 3),
        110.5,
        221.5,
        332.5);
  }

  @Test
  void matmulFollowsIeeeAndTakesNoRows() {
    check(
        eval(new Op.Matmul(false, false), reals(shape(1, 2), 0, 1), row(INF, 1)), shape(1, 1), NAN);
    check(eval(new Op.Matmul(false, false), W, reals(shape(0, 2))), shape(0, 3));
    check(
        eval(new Op.Matmul(false, false), W, reals(shape(1, 2, 2), 1, 0, 0, 1)),
        shape(1, 2, 3),
        1,
        3,
        5,
        2,
        4,
        6);
  }

  @Test
  void matmulRoundsProductsAndSumsInF32() {
    Tensor ones = reals(shape(1, 3), 1, 1, 1);
    // 2^24 + 1 is not an f32: each 1 is lost
    check(eval32(new Op.Matmul(false, false), ones, row(0x1p24, 1, 1)), shape(1, 1), 0x1p24);
    check(eval(new Op.Matmul(false, false), ones, row(0x1p24, 1, 1)), shape(1, 1), 0x1p24 + 2);
  }

  /** {2, 1, 3}: three experts of one output. */
  private static final Tensor EXPERTS = reals(shape(3, 1, 2), 1, 0, 0, 1, 10, 10);

  @Test
  void matmulIdTakesOneRowOrARowAnExpert() {
    Tensor ids = ints(shape(2, 2), 0, 2, 1, 1);
    check(
        eval(new Op.MatmulId(false, false), EXPERTS, reals(shape(2, 2), 1, 2, 3, 4), ids),
        shape(2, 2, 1),
        1,
        30,
        4,
        4);
    Tensor perExpert = reals(shape(2, 2, 2), 1, 2, 3, 4, 5, 6, 7, 8);
    check(
        eval(new Op.MatmulId(false, false), EXPERTS, perExpert, ids), shape(2, 2, 1), 1, 70, 6, 8);
  }

  @Test
  void matmulIdAddsTheExpertsBiasAndScale() {
    Tensor ids = ints(shape(1, 2), 2, 0);
    Tensor bias = reals(shape(3, 1), 100, 200, 300);
    Tensor scale = reals(shape(3), 2, 3, 4);
    check(
        eval(new Op.MatmulId(true, true), EXPERTS, row(1, 2), ids, bias, scale),
        shape(1, 2, 1),
        420,
        102);
    check(
        eval(new Op.MatmulId(false, true), EXPERTS, row(1, 2), ids, scale), shape(1, 2, 1), 120, 2);
  }

  @Test
  void matmulIdGivesZerosForAnAbsentExpert() {
    Tensor bias = reals(shape(3, 1), 100, 200, 300);
    Tensor x = row(NAN, NAN);
    check(
        eval(new Op.MatmulId(true, false), EXPERTS, x, ints(shape(1, 2), -1, -1), bias),
        shape(1, 2, 1),
        0,
        0);
  }

  @Test
  void matmulGroupedGivesEachGroupItsMatrix() {
    Tensor x = reals(shape(1, 3, 2), 1, 2, 3, 4, 5, 6);
    check(eval(new Op.MatmulGrouped(), EXPERTS, x), shape(1, 3, 1), 1, 4, 110);
  }
}
