"""Bond graphs and multibond graphs: bonds of size n carry n efforts e and n flows f.

Names and parameters are those of MultiBondLib 1.3 (D. Zimmer, F. E. Cellier: The Modelica multi-bond graph library, Modelica
Conference 2006), those of elements of single bonds of BondLib; a single bond is a multibond of size 1.
"""

from .bonds import Bond
from .junctions import J0, J1
from .passive import C, G, I, R
from .ports import ActiveOnePort, BondIn, BondOut, PassiveOnePort, TwoPort
from .sources import Se, Sf, mSe, mSf
from .transformers import GY, TF

__all__ = [
    "GY",
    "J0",
    "J1",
    "TF",
    "ActiveOnePort",
    "Bond",
    "BondIn",
    "BondOut",
    "C",
    "G",
    "I",
    "PassiveOnePort",
    "R",
    "Se",
    "Sf",
    "TwoPort",
    "mSe",
    "mSf",
]
