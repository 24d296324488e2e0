import { type Language, textsIn } from "../../../lib/texts/texts.ts";
import { Page, type PageProps } from "../../../lib/ui/Page.tsx";

interface AdminPageProps extends Omit<PageProps, "styles"> {
  /** What is wrong with the form, if it came back. */
  message?: string;
  language: Language;
}

/** The main part of a page of the administration. The title of its window says where it belongs. */
export function AdminPage({ message, language, windowTitle, ...page }: AdminPageProps) {
  const { admin, frame } = textsIn(language);
  const own = windowTitle ?? page.title;
  const title = message === undefined ? own : frame.titleWithError({ title: own });
  return <Page {...page} windowTitle={`${title} · ${admin.title}`} styles="/admin.css" />;
}
