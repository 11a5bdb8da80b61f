"""The table: every rule and every registered code, in the order of the codes."""

from __future__ import annotations

from typing import Final

from ._base import Rule
from .bounds.tc201_unbounded_text import UnboundedText
from .bounds.tc202_unbounded_number import UnboundedNumber
from .bounds.tc203_money_as_float import MoneyAsFloat
from .bounds.tc204_amount_without_currency import AmountWithoutCurrency
from .bounds.tc205_unbounded_list import UnboundedList
from .bounds.tc206_date_without_format import DateWithoutFormat
from .bounds.tc208_duration_without_unit import DurationWithoutUnit
from .bounds.tc209_integer_too_wide import IntegerTooWide
from .bounds.tc211_pattern_not_anchored import PatternNotAnchored
from .bounds.tc212_pattern_unsafe import PatternUnsafe
from .bounds.tc213_unknown_format import UnknownFormat
from .bounds.tc214_format_of_another_type import FormatOfAnotherType
from .bounds.tc216_enum_of_identifiers import EnumOfIdentifiers
from .bounds.tc218_enum_value_unfit import EnumValueUnfit
from .bounds.tc220_constraint_not_enforced import ConstraintNotEnforced
from .charter.tc801_bad_silence import BadSilence
from .charter.tc802_deprecated_operation import DeprecatedOperation
from .charter.tc805_unused_entry import UnusedEntry
from .effects.tc501_write_without_approval import WriteWithoutApproval
from .effects.tc502_write_without_idempotency import WriteWithoutIdempotency
from .effects.tc503_effect_missing import EffectMissing
from .effects.tc504_verb_contradicts_effect import VerbContradictsEffect
from .effects.tc505_policy_incomplete import PolicyIncomplete
from .effects.tc506_approver_is_requester import ApproverIsRequester
from .effects.tc507_retry_of_unkeyed_write import RetryOfUnkeyedWrite
from .effects.tc508_deadline_inverted import DeadlineInverted
from .effects.tc509_write_without_limits import WriteWithoutLimits
from .effects.tc510_call_without_credential import CallWithoutCredential
from .effects.tc511_credential_in_address import CredentialInAddress
from .effects.tc514_key_window_too_short import KeyWindowTooShort
from .effects.tc516_write_without_version import WriteWithoutVersion
from .effects.tc517_write_without_evidence import WriteWithoutEvidence
from .effects.tc518_write_without_unknown_plan import WriteWithoutUnknownPlan
from .effects.tc523_replacement_drops_field import ReplacementDropsField
from .effects.tc525_consequence_without_person import ConsequenceWithoutPerson
from .effects.tc526_policy_unknown import PolicyUnknown
from .effects.tc527_policy_unused import PolicyUnused
from .effects.tc528_write_without_compensation import WriteWithoutCompensation
from .effects.tc529_write_without_summary import WriteWithoutSummary
from .effects.tc530_idempotency_only_attested import IdempotencyOnlyAttested
from .effects.tc531_approval_rows_out_of_order import ApprovalRowsOutOfOrder
from .effects.tc532_irreversible_unsaid import IrreversibleUnsaid
from .effects.tc535_deletion_unmarked import DeletionUnmarked
from .effects.tc537_consequence_unknown import ConsequenceUnknown
from .guards.tc521_guard_from_model import GuardFromModel
from .guards.tc522_approval_from_model import ApprovalFromModel
from .guards.tc536_guard_reached_by_name import GuardReachedByName
from .naming.tc605_tool_name_unusable import ToolNameUnusable
from .naming.tc606_names_clash import NamesClash
from .naming.tc607_package_name_unusable import PackageNameUnusable
from .naming.tc608_label_unusable import LabelUnusable
from .naming.tc613_field_name_unusable import FieldNameUnusable
from .naming.tc615_tools_alike import ToolsAlike
from .narrowness.tc101_open_object import OpenObject
from .narrowness.tc102_map_without_bounds import MapWithoutBounds
from .narrowness.tc103_tunnel import Tunnel
from .narrowness.tc104_untyped_input import UntypedInput
from .narrowness.tc105_many_optional_inputs import ManyOptionalInputs
from .narrowness.tc106_optional_groups import OptionalGroups
from .narrowness.tc107_deep_input import DeepInput
from .narrowness.tc108_general_operation import GeneralOperation
from .narrowness.tc109_system_field_as_input import SystemFieldAsInput
from .narrowness.tc112_default_on_required import DefaultOnRequired
from .narrowness.tc114_recursive_input import RecursiveInput
from .narrowness.tc116_address_as_input import AddressAsInput
from .outputs.tc401_secret_in_view import SecretInView
from .outputs.tc403_list_without_pages import ListWithoutPages
from .outputs.tc411_accepted_and_left import AcceptedAndLeft
from .outputs.tc412_result_without_bound import ResultWithoutBound
from .reported import REPORTED
from .roles.tc512_role_names_missing_tool import RoleNamesMissingTool
from .roles.tc513_role_of_all_writes import RoleOfAllWrites
from .roles.tc519_write_among_reads import WriteAmongReads
from .roles.tc520_hidden_tool_granted import HiddenToolGranted
from .roles.tc533_tool_in_no_role import ToolInNoRole
from .roles.tc534_operation_of_two_effects import OperationOfTwoEffects
from .texts.tc524_summary_of_free_text import SummaryOfFreeText
from .texts.tc601_tool_without_description import ToolWithoutDescription
from .texts.tc602_description_of_odd_length import DescriptionOfOddLength
from .texts.tc603_ambiguous_input_name import AmbiguousInputName
from .texts.tc604_instruction_in_text import InstructionInText
from .texts.tc611_hidden_character import HiddenCharacter
from .texts.tc612_markup_in_text import MarkupInText
from .texts.tc614_hidden_character_in_charter import HiddenCharacterInCharter
from .unions.tc301_union_without_tag import UnionWithoutTag
from .unions.tc302_overlapping_branches import OverlappingBranches
from .unions.tc303_tag_contradicted import TagContradicted
from .unions.tc304_tag_value_twice import TagValueTwice
from .unions.tc306_wide_union import WideUnion

__all__ = ["RULES", "find_rule"]

_CHECKED: Final[tuple[Rule, ...]] = (
    OpenObject(),  # TC101
    MapWithoutBounds(),  # TC102
    Tunnel(),  # TC103
    UntypedInput(),  # TC104
    ManyOptionalInputs(),  # TC105
    OptionalGroups(),  # TC106
    DeepInput(),  # TC107
    GeneralOperation(),  # TC108
    SystemFieldAsInput(),  # TC109
    DefaultOnRequired(),  # TC112
    RecursiveInput(),  # TC114
    AddressAsInput(),  # TC116
    UnboundedText(),  # TC201
    UnboundedNumber(),  # TC202
    MoneyAsFloat(),  # TC203
    AmountWithoutCurrency(),  # TC204
    UnboundedList(),  # TC205
    DateWithoutFormat(),  # TC206
    DurationWithoutUnit(),  # TC208
    IntegerTooWide(),  # TC209
    PatternNotAnchored(),  # TC211
    PatternUnsafe(),  # TC212
    UnknownFormat(),  # TC213
    FormatOfAnotherType(),  # TC214
    EnumOfIdentifiers(),  # TC216
    EnumValueUnfit(),  # TC218
    ConstraintNotEnforced(),  # TC220
    UnionWithoutTag(),  # TC301
    OverlappingBranches(),  # TC302
    TagContradicted(),  # TC303
    TagValueTwice(),  # TC304
    WideUnion(),  # TC306
    SecretInView(),  # TC401
    ListWithoutPages(),  # TC403
    AcceptedAndLeft(),  # TC411
    ResultWithoutBound(),  # TC412
    WriteWithoutApproval(),  # TC501
    WriteWithoutIdempotency(),  # TC502
    EffectMissing(),  # TC503
    VerbContradictsEffect(),  # TC504
    PolicyIncomplete(),  # TC505
    ApproverIsRequester(),  # TC506
    RetryOfUnkeyedWrite(),  # TC507
    DeadlineInverted(),  # TC508
    WriteWithoutLimits(),  # TC509
    CallWithoutCredential(),  # TC510
    CredentialInAddress(),  # TC511
    RoleNamesMissingTool(),  # TC512
    RoleOfAllWrites(),  # TC513
    KeyWindowTooShort(),  # TC514
    WriteWithoutVersion(),  # TC516
    WriteWithoutEvidence(),  # TC517
    WriteWithoutUnknownPlan(),  # TC518
    WriteAmongReads(),  # TC519
    HiddenToolGranted(),  # TC520
    GuardFromModel(),  # TC521
    ApprovalFromModel(),  # TC522
    ReplacementDropsField(),  # TC523
    SummaryOfFreeText(),  # TC524
    ConsequenceWithoutPerson(),  # TC525
    PolicyUnknown(),  # TC526
    PolicyUnused(),  # TC527
    WriteWithoutCompensation(),  # TC528
    WriteWithoutSummary(),  # TC529
    IdempotencyOnlyAttested(),  # TC530
    ApprovalRowsOutOfOrder(),  # TC531
    IrreversibleUnsaid(),  # TC532
    ToolInNoRole(),  # TC533
    OperationOfTwoEffects(),  # TC534
    DeletionUnmarked(),  # TC535
    GuardReachedByName(),  # TC536
    ConsequenceUnknown(),  # TC537
    ToolWithoutDescription(),  # TC601
    DescriptionOfOddLength(),  # TC602
    AmbiguousInputName(),  # TC603
    InstructionInText(),  # TC604
    ToolNameUnusable(),  # TC605
    NamesClash(),  # TC606
    PackageNameUnusable(),  # TC607
    LabelUnusable(),  # TC608
    HiddenCharacter(),  # TC611
    MarkupInText(),  # TC612
    FieldNameUnusable(),  # TC613
    HiddenCharacterInCharter(),  # TC614
    ToolsAlike(),  # TC615
    BadSilence(),  # TC801
    DeprecatedOperation(),  # TC802
    UnusedEntry(),  # TC805
)
RULES: Final[tuple[Rule, ...]] = tuple(sorted((*_CHECKED, *REPORTED), key=lambda rule: rule.code))
"""Every code that can be printed, in order."""
_BY_CODE: Final = {rule.code: rule for rule in RULES}


def find_rule(code: str) -> Rule | None:
    """Return the rule of a code, or None."""
    return _BY_CODE.get(code)
