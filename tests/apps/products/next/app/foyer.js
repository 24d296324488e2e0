import { createFoyer } from "foyer-client";
import { nextFoyer } from "foyer-client/next";
import { headers } from "next/headers";
import { redirect } from "next/navigation";

const { PORT = "3000", FOYER_URL = "http://localhost:8000" } = process.env;
export const foyer = createFoyer({ url: FOYER_URL, origin: `http://localhost:${PORT}` });
export const { session, requireUser } = nextFoyer(foyer, { headers, redirect });
