// What this page shows itself: the booking page has its own texts.

const texts = {
  en: { title: "Booking", close: "Close", label: "Book a time", instead: "Book on a page of its own" },
  de: { title: "Buchung", close: "Schließen", label: "Termin buchen", instead: "Auf einer eigenen Seite buchen" },
};

const textsOf = ({ locale }) => texts[(locale ?? navigator.language).slice(0, 2).toLowerCase()] ?? texts.en;
