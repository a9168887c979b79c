package io.redelay.queue.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import org.springframework.core.io.ClassPathResource;

/**
 * The texts of the scripts, with includes and without comments.
 */
final class LuaScripts {

	private static final String SCRIPTS = "io/redelay/queue/store/";

	private static final String INCLUDES = SCRIPTS + "includes/";

	private static final String COMMENT = "--";

	private static final String INCLUDE = COMMENT + "@include ";

	private final Map<Script, String> texts;

	private LuaScripts(Map<Script, String> texts) {
		this.texts = texts;
	}

	String text(Script script) {
		return Objects.requireNonNull(this.texts.get(script));
	}

	/**
	 * Returns the scripts of the jar. They are read once: each application has several
	 * stores, and a start must not read the same files for each of them.
	 * @return the scripts
	 */
	static LuaScripts load() {
		return Packaged.SCRIPTS;
	}

	/**
	 * Loads the scripts with other text for some of the included files.
	 * @param replaced text by the name of the included file
	 * @return the scripts
	 */
	static LuaScripts load(Map<String, String> replaced) {
		Includes includes = new Includes(replaced);
		Map<Script, String> texts = new EnumMap<>(Script.class);
		for (Script script : Script.values()) {
			texts.put(script, includes.putInto(read(SCRIPTS + script.file())));
		}
		return new LuaScripts(texts);
	}

	/**
	 * Returns the text of an include.
	 * @param name its name, without the extension
	 * @return its text as it is in the file
	 */
	static String include(String name) {
		return read(INCLUDES + name);
	}

	private static String read(String path) {
		try {
			return new ClassPathResource(path + ".lua", LuaScripts.class.getClassLoader())
				.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The script '" + path + ".lua' is not in the jar", ex);
		}
	}

	/**
	 * The scripts of the jar, read when they are asked for first.
	 */
	private static final class Packaged {

		private static final LuaScripts SCRIPTS = load(Map.of());

	}

	/**
	 * The includes of the scripts of one load. Most includes are in many scripts, so each
	 * is read and stripped of its comments once.
	 */
	private static final class Includes {

		private final Map<String, String> replaced;

		private final Map<String, String> stripped = new HashMap<>();

		Includes(Map<String, String> replaced) {
			this.replaced = replaced;
		}

		String putInto(String text) {
			StringBuilder result = new StringBuilder(text.length());
			text.lines().map(String::strip).forEach((line) -> {
				if (line.startsWith(INCLUDE)) {
					append(result, text(line.substring(INCLUDE.length())));
				}
				else if (!line.startsWith(COMMENT)) {
					append(result, line);
				}
			});
			return result.toString();
		}

		private String text(String name) {
			String known = this.stripped.get(name);
			if (known == null) {
				String replacement = this.replaced.get(name);
				known = putInto((replacement != null) ? replacement : include(name));
				this.stripped.put(name, known);
			}
			return known;
		}

		private static void append(StringBuilder result, String lines) {
			if (!lines.isEmpty()) {
				result.append(result.isEmpty() ? "" : "\n").append(lines);
			}
		}

	}

}
