"""Coefficient of friction of wheels as a function of their slip."""

from __future__ import annotations


def triple_s(v: str, peak: str, slides: str) -> str:
    """Return the coefficient of friction at the speed of slip ``v``: odd, three S of third order; mu_A at the speed ``peak``,
    where it is largest, mu_S from the speed ``slides`` on. Source: PlanarMechanics.Utilities.Functions.limitByStriple.
    """
    beyond = f"min(2*(abs({v}) - {peak})/({slides} - {peak}) - 1, 1)"
    falls = f"sign({v})*((mu_A + mu_S)/2 + (mu_S - mu_A)/4*(3 - ({beyond})**2)*({beyond}))"
    return f"noEvent(mu_A/2*(3 - ({v}/{peak})**2)*{v}/{peak} if abs({v}) <= {peak} else {falls})"
