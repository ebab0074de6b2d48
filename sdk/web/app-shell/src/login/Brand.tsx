/** The sign of the product, in the accent's colour. */
export const Brand = ({ size = 40 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden className="p-brand">
    <rect width="32" height="32" rx="8" />
    <path d="M8 24V14a8 8 0 0 1 16 0v10M13 24V14a3 3 0 0 1 6 0v10" />
  </svg>
);
