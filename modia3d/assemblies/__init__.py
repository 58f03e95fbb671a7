"""Mechanisms that are used often, made of frames, joints, constraint elements and flanges.

Names and meaning are those of ``Modelica.Mechanics.MultiBody.Joints`` and ``.Parts``; ``frame_a`` is ``obj1``, ``frame_b`` is
``obj2``, angles are in rad. There a joint between two rods without mass is nothing special. Here what has no inertia has no
coordinates, either: rods on which nothing is fixed are eliminated (a distance, a closed form), and only those that are asked
for by ``frame_ia=True`` or ``frame_ib=True`` are bodies, to whose frame something with mass has to be fixed.
"""
