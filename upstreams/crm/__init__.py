"""The customer service of `specs/crm/openapi.yaml` as a real HTTP server that can be asked what really happened.

```python
with CrmServer() as crm:
    crm.control.fault("changeAddress", "apply_then_drop")
    ...  # speak to crm.url with crm.token
    crm.control.ledger()  # one entry per effect, whatever the client was told
```
"""

from upstreams.crm.control import Control, Effect
from upstreams.crm.server import TOKEN, CrmServer
from upstreams.faults import FAULTS, Fault

__all__ = ["FAULTS", "TOKEN", "Control", "CrmServer", "Effect", "Fault"]
