import "./tokens.css";
import "./base.css";
import { mount } from "svelte";
import AppWindow from "./App.svelte";
import { openBackend } from "./backend";
import { whenDrawn } from "./drawn";
import { trayKind } from "./route";
import { App } from "./store/app.svelte";
import { wear } from "./theme";

const target = document.getElementById("app");
if (target === null) throw new Error("the page has no #app");

wear("system");
const backend = await openBackend();
const app = new App(backend, trayKind(location.hash) !== null);
await app.start();
mount(AppWindow, { target, props: { app } });
whenDrawn(() => void backend.pictured());
