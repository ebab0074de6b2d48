import { useQuery as useAddressQuery, useTexts } from "@portico/app-shell";
import { BrandPage } from "../parts.tsx";
import { Composer } from "./Composer.tsx";

/** A new post. `?at=` is its time, from the calendar; `?text=` its text, from a trend. */
export default function NewPostPage() {
  const { t } = useTexts();
  const [at] = useAddressQuery("at");
  const [text] = useAddressQuery("text");
  return (
    <BrandPage wide title={t("posts.new")}>
      {(brand) => <Composer key={brand.brandId} brand={brand} at={at ?? ""} text={text ?? ""} />}
    </BrandPage>
  );
}
