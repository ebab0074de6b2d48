const texts = {
  "shell.loading": "Loading…",
  "shell.slow": "This takes longer than it should.",
  "shell.unreachable": "The server cannot be reached.",
  "shell.tryAgain": "Try again",
  "error.panel": "This part did not work",
  "error.panelText": "The rest of the page goes on. If it happens again, report it from the account menu.",
  "error.chunk": "A part of the app could not be loaded",
  "error.chunkText": "The connection may be lost.",
  "error.newBuild": "A new version is ready",
  "error.newBuildText": "Load it to go on.",
  "error.load": "Load it",
  "login.title": "Sign in",
  "login.identifier": "E-mail",
  "login.password": "Password",
};
export default texts;
