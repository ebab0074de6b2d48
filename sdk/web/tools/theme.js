// Before the first paint: the theme that this browser remembers, else the system's; `theme.ts` of the shell follows later changes. And what pages of
// people who are signed in need is asked for beside the first script, not after it.
(function () {
  var root = document.documentElement,
    theme,
    density;
  try {
    theme = localStorage.getItem("portico.theme");
    density = localStorage.getItem("portico.density");
  } catch (e) {}
  if (theme !== "light" && theme !== "dark") theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = root.dataset.mantineColorScheme = theme;
  if (density) root.dataset.density = density;
  if ("%SHELL%" && !/^\/(login|auth)\b/.test(location.pathname))
    document.head.appendChild(Object.assign(document.createElement("link"), { rel: "modulepreload", href: "%SHELL%" }));
})();
