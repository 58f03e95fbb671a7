"""What one contact in a plane does in an impact, in closed form: phase by phase of its slip."""

import numpy as np


def routh(A, w, e, mu):
    """Impulses of one contact in a plane, phase by phase (Routh's method with Stronge's coefficient): rows normal, slip."""
    p, s, work, stored = np.zeros(2), w.copy(), 0.0, None

    def rates():
        """Change of the impulses per normal impulse."""
        if abs(s[1]) > 1e-14 * np.abs(w).max():
            return np.array([1.0, -mu * np.sign(s[1])])
        hold = -A[1, 0] / A[1, 1]
        return np.array([1.0, hold if abs(hold) <= mu else np.sign(hold) * mu])

    while True:
        d = rates()
        change, ends = A @ d, {}
        if s[1] * change[1] < 0.0:
            ends["slip"] = -s[1] / change[1]
        if stored is None:
            if change[0] > 0.0:
                ends["phase"] = -s[0] / change[0]
        else:  # work + s_n x + c_n x^2 / 2 = -(1 - e^2) stored
            root = s[0] ** 2 - 2.0 * change[0] * ((1.0 - e**2) * stored + work)
            if root >= 0.0:
                ends["phase"] = (-s[0] + np.sqrt(root)) / change[0]
        what = min(ends, key=ends.get)
        x = ends[what]
        work += s[0] * x + 0.5 * change[0] * x**2
        p, s = p + x * d, s + x * change
        if what == "slip":
            s[1] = 0.0
        elif stored is not None or e == 0.0:
            return p
        else:
            stored, s[0] = -work, 0.0
