"""The robust recipe's objective with the dynamics prior in PyTorch, eager mode, Cholesky and autograd:
torch_baseline.py POINTS OUTPUTS DYNAMICS prints milliseconds an evaluation with its gradient, as
riemann2-bench --torch asks for them."""
import math
import sys
import time

import torch

torch.set_default_dtype(torch.float64)


def matrix_normal(a, f, log_det_tasks, inverse_tasks):
    n, m = f.shape
    l = torch.linalg.cholesky(a)
    w = torch.cholesky_solve(f, l)
    s = f.T @ w
    log_det = 2 * torch.log(torch.diagonal(l)).sum()
    return s, lambda kf: (-0.5 * torch.trace(inverse_tasks(kf) @ s) - 0.5 * m * log_det
                          - 0.5 * n * log_det_tasks(kf) - 0.5 * n * m * math.log(2 * math.pi))


def se(x, lengthscale):
    d = x[:, None, :] - x[None, :, :]
    return torch.exp(-0.5 * (d * d).sum(-1) / lengthscale ** 2)


def objective(x, x0, f, psi, lower, upper, dynamics):
    n, m = f.shape
    eye = torch.eye(n)
    s, value = matrix_normal(se(x, 0.2) + 5e-3 * eye, f, torch.logdet, torch.linalg.inv)
    kf = ((s + n * psi * torch.eye(m)) / (2 * n)).detach()
    total = value(kf) - ((x - x0) ** 2).sum() / (2 * 0.05 ** 2)
    if dynamics:
        lo = x[lower]
        steps = x[upper] - lo
        _, prior = matrix_normal(0.01 * se(lo, 1.0) + 1e-3 * torch.eye(len(lo)), steps,
                                 lambda k: 0.0, lambda k: k)
        total = total + prior(torch.eye(x.shape[1]))
    return total


def main():
    n, m, dynamics = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1"
    torch.manual_seed(0)
    t = torch.linspace(0, 6, n)
    x0 = torch.stack([torch.cos(t), torch.sin(1.3 * t)], 1)
    f = torch.stack([torch.sin(t * (1 + k / m)) for k in range(m)], 1)
    f = f - f.mean(0)
    psi = (f * f).sum() / (n - 1) / m
    lower = torch.tensor([i for i in range(n) if (i + 1) % (n // 6)])
    times = []
    for _ in range(9):
        x = (x0 + 0.01 * torch.randn(n, 2)).requires_grad_()
        start = time.perf_counter()
        (-objective(x, x0, f, psi, lower, lower + 1, dynamics) / (n * m)).backward()
        times.append((time.perf_counter() - start) * 1e3)
    print(f"{sorted(times[2:])[3]:.3f}")


main()
