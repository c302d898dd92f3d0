/**
 * What travels between the window and the program behind it, by the names the window uses.
 *
 * The types are generated from Rust (`bindings.ts`); nothing else in the window describes a message.
 */
import type {
  DayCalendar_Serialize,
  DayDot_Serialize,
  InsightSheet_Serialize,
  MemorySheet_Serialize,
  PromptFigures_Serialize,
  PromptVersionCard_Serialize,
  PromptVersions_Serialize,
  RecalledCard_Serialize,
  Sense_Serialize,
  SessionLine_Serialize,
  SessionPage_Serialize,
  SessionView_Serialize,
  TradeAnswers_Deserialize,
  TradeLook_Serialize,
  TradePreview_Serialize,
  TodaySession_Serialize,
  Today_Serialize,
  VoiceReading_Serialize,
  VoiceState_Serialize,
  WireEvent_Serialize,
} from "./bindings";

export type {
  BannedCard,
  BreathPhase,
  Chip,
  DocumentCard,
  ErasedSheet,
  ExportBrought,
  ExportDone,
  ExportFolder,
  ExportLook,
  ExportPlace,
  ExportUnread,
  FactsSheet,
  FeltHeard,
  FoundServer,
  FoundTurn,
  GoneCard,
  HelpSheet,
  HelplineCard,
  InsightKind,
  Listening,
  MemoryCard,
  MemoryChange,
  MemoryLevel,
  MicrophoneCard,
  ModelCard,
  NextAction,
  NoteCard,
  Picture,
  PassphraseChange,
  PlanAction,
  PlanCard,
  PracticeCard,
  PracticeSheet,
  PromptEdit,
  PromptEditState,
  PromptFileCard,
  PromptFinalized,
  PromptFinding,
  PromptKnown,
  PromptDecisionCard,
  PromptCoverage,
  PromptDifference,
  PromptGap,
  PromptLint,
  PromptMean,
  PromptPreview,
  PromptReason,
  PromptRule,
  PromptSample,
  PromptSeverity,
  PromptShare,
  PromptShelf,
  PromptSide,
  PromptText,
  ReminderCard,
  ReminderWhen,
  Retention,
  RetentionSheet,
  ScenarioCard,
  ScenarioRan,
  SentCard,
  ShellSheet,
  ServerCard,
  ServerKeyPlace,
  ServerTried,
  SpeechSpeed,
  Standing,
  Summary,
  TradeColumn,
  TradeDates,
  TradeDayCard,
  TradeFormat,
  TradeImport,
  TradeReason,
  TradesTaken,
  VoiceConsent,
  WireDelta as Delta,
  WireField as ProfileField,
  WireFormat as Format,
  WireKind as Kind,
  WireLang as Lang,
  WireSettings as Settings,
  WireStreak as Streak,
  WireTheme as Theme,
  WireTurn as Turn,
} from "./bindings";

export type AppEvent = WireEvent_Serialize;
export type DayCalendar = DayCalendar_Serialize;
export type DayDot = DayDot_Serialize;
export type InsightSheet = InsightSheet_Serialize;
export type MemorySheet = MemorySheet_Serialize;
export type PromptFigures = PromptFigures_Serialize;
export type PromptVersionCard = PromptVersionCard_Serialize;
export type PromptVersions = PromptVersions_Serialize;
export type RecalledCard = RecalledCard_Serialize;
export type Sense = Sense_Serialize;
export type SessionLine = SessionLine_Serialize;
export type SessionPage = SessionPage_Serialize;
export type SessionView = SessionView_Serialize;
export type Today = Today_Serialize;
export type TodaySession = TodaySession_Serialize;
export type TradeAnswers = TradeAnswers_Deserialize;
export type TradeLook = TradeLook_Serialize;
export type TradePreview = TradePreview_Serialize;
export type VoiceReading = VoiceReading_Serialize;
export type VoiceState = VoiceState_Serialize;
