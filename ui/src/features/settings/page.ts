import type { App } from "../../store/app.svelte";
import type { Settings } from "../../wire";

/** What a page of the settings is given. */
export type Page = {
  app: App;
  settings: Settings;
  save: (change: Partial<Settings>) => Promise<boolean>;
  saved: boolean;
};
