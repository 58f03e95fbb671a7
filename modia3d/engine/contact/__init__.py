"""Solids that collide while a simulation runs: between `modia3d.collision` (geometry) and `modia3d.forces.contact` (the law).

- which solids of a scene may collide: `engine/contact/solids.py`: `ContactSolids`
- what acts between them, as one row of the table of forces: `engine/contact/element.py`
- one segment: its near pairs, their memory (`contact_layout.py`), what events make of it: `engine/contact/contacts.py`:
  `SegmentContacts`
- impacts of rigid contacts: `engine/contact/impacts.py`, `impact_kernels.py`
- rigid contacts at rest: `engine/contact/rests.py` (which pairs have rows, and which rows), `faces.py` (points of flat faces),
  `resting.py` (what events make of them), `rest_kernels.py` (their indicators and forces)
- machine code: `engine/contact/kernels.py`

A segment has a list of *near pairs*. Two indicators of each become negative where a contact begins or ends, and where it begins
to stick or to slip; what events decide is written into the memory of the pair in place, so that no segment begins. One more
indicator is the smallest gap between the bounding boxes of all other pairs: where it vanishes, a segment with a new list
begins. The bound of the next step (`longest_step`) keeps bodies from flying through each other unseen.
"""
