package io.redelay.guide;

import java.io.IOException;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import tools.jackson.databind.json.JsonMapper;

/**
 * The versions of the guide that stand side by side on a site, each in a folder of its
 * name. The list of them is the one file that several builds write.
 */
final class Versions {

	private static final JsonMapper JSON = JsonMapper.builder().build();

	private Versions() {
	}

	/**
	 * Adds a version to the site, or replaces it. The first page of the site leads to the
	 * newest release, or to the newest version if nothing was released.
	 * @param site the folder of the site
	 * @param version the version that was made
	 * @param pages the names of its pages
	 * @throws IOException if a file cannot be read or written
	 */
	static void add(Path site, String version, List<String> pages) throws IOException {
		List<Entry> versions = new ArrayList<>();
		Path file = site.resolve("versions.json");
		if (Files.exists(file)) {
			versions.addAll(JSON.readValue(Files.readString(file), Content.class).versions());
			versions.removeIf(
					(entry) -> entry.version().equals(version) || !Files.isDirectory(site.resolve(entry.version())));
		}
		versions.add(new Entry(version, pages));
		versions.sort(Comparator.comparing((Entry entry) -> Version.parse(entry.version())).reversed());
		String current = versions.stream()
			.map(Entry::version)
			.filter((each) -> !each.endsWith("-SNAPSHOT"))
			.findFirst()
			.orElse(versions.get(0).version());
		String json = JSON.writeValueAsString(new Content(current, versions));
		Files.writeString(file, json + "\n");
		// A page that was opened from a file may load a script, but must not fetch data.
		Files.writeString(site.resolve("versions.js"), "window.guideVersions = " + json + ";\n");
		Files.writeString(site.resolve("index.html"), """
				<!DOCTYPE html>
				<html lang="en">
				<meta charset="utf-8">
				<title>The guide</title>
				<meta http-equiv="refresh" content="0; url=%1$s/index.html">
				<link rel="canonical" href="%1$s/index.html">
				<p><a href="%1$s/index.html">The guide to version %1$s</a></p>
				</html>
				""".formatted(current));
	}

	/**
	 * What the list has.
	 *
	 * @param current the version that the first page leads to
	 * @param versions all versions, newest first
	 */
	record Content(String current, List<Entry> versions) {

	}

	/**
	 * A version.
	 *
	 * @param version its name, which is that of its folder
	 * @param pages the names of its pages
	 */
	record Entry(String version, List<String> pages) {

	}

}
