const texts = {
  "dashboard.title": "Dashboard",
};
export default texts;
