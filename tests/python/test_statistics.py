"""Statistics of labelled points, against definitions."""

import itertools

import numpy as np
import pytest

import riemann2 as rm2

M = rm2.Manifold("SPD3")
POINTS = M.random(9, seed=3)
LABELS = ["b", "a", "a", "b", "a", "b", "a", "a", "b"]


def test_distances_are_those_of_pairs():
    d = M.distances(POINTS)
    assert d.shape == (9, 9)
    for i, j in itertools.product(range(9), repeat=2):
        assert d[i, j] == pytest.approx(M.dist(POINTS[i], POINTS[j]), abs=1e-12)


def test_group_means_are_means():
    means = rm2.group_means(M, POINTS, LABELS)
    assert list(means) == ["a", "b"]
    for name, mean in means.items():
        np.testing.assert_array_equal(mean, M.mean(POINTS[np.array(LABELS) == name]))


def test_permutation_test_is_exact_for_few_points():
    means = rm2.group_means(M, POINTS, LABELS)
    result = rm2.permutation_test(M, POINTS, LABELS)
    assert result.exact and result.permutations == 125 and len(result.values) == 125  # C(9, 4) - 1
    assert result.statistic == pytest.approx(M.dist(means["a"], means["b"]), rel=1e-5)
    assert result.as_large == np.sum(result.values >= result.statistic * (1 - 1e-9))
    assert result.p_value == pytest.approx((1 + result.as_large) / 126)
    values = []
    for chosen in itertools.combinations(range(9), 4):
        inside = np.isin(np.arange(9), chosen)
        values.append(M.dist(M.mean(POINTS[inside]), M.mean(POINTS[~inside])))
    np.testing.assert_allclose(np.sort(np.append(result.values, result.statistic)), np.sort(values), rtol=1e-4)


def test_permutation_test_settings():
    a = rm2.permutation_test(M, POINTS, LABELS, permutations=20, seed=1, statistic="tangent")
    b = rm2.permutation_test(M, POINTS, LABELS, permutations=20, seed=1, statistic="tangent")
    c = rm2.permutation_test(M, POINTS, LABELS, permutations=20, seed=2, statistic="tangent")
    assert not a.exact and a.permutations == 20
    np.testing.assert_array_equal(a.values, b.values)
    assert np.any(a.values != c.values)
    whole = rm2.permutation_test(M, POINTS, LABELS, subjects=[1, 2, 2, 1, 2, 3, 4, 4, 3])
    assert whole.permutations == 5  # two of four subjects
    three = ["c"] * 2 + LABELS[2:]
    with pytest.raises(ValueError, match="between"):
        rm2.permutation_test(M, POINTS, three)
    rm2.permutation_test(M, POINTS, three, between=("a", "c"))


def test_mistakes():
    with pytest.raises(ValueError, match="no point has the label"):
        rm2.permutation_test(M, POINTS, LABELS, between=("a", "z"))
    with pytest.raises(ValueError, match="one per point"):
        rm2.group_means(M, POINTS, LABELS[:3])
    with pytest.raises(ValueError, match="one per point"):
        rm2.permutation_test(M, POINTS, LABELS, subjects=[1])
    with pytest.raises(TypeError, match="permutation"):
        rm2.permutation_test(M, POINTS, LABELS, permutation=3)
    with pytest.raises(ValueError, match="permutations"):
        rm2.permutation_test(M, POINTS, LABELS, permutations=-1)
    with pytest.raises(ValueError, match="shape"):
        M.distances(POINTS[0])
