package io.redelay.guide;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.jsoup.Jsoup;
import org.jsoup.nodes.Comment;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.XmlDeclaration;
import org.jsoup.parser.Parser;

/**
 * Gives the pictures that PlantUML drew the colours of the guide, light and dark. The
 * profile {@code pictures} draws them and runs this; the pictures are committed, so that
 * a code host shows them and a build needs no fonts.
 */
public final class PictureMain {

	static final String CLASS = "guide-picture";

	static final String SOURCE = "data-source";

	/**
	 * Of each colour that the theme has: its variable, and what it is in light and dark.
	 */
	private static final Map<String, List<String>> COLOURS = new LinkedHashMap<>();

	static {
		COLOURS.put("#000001", List.of("--ink", "#1f2328", "#e6edf3"));
		COLOURS.put("#000002", List.of("--quiet", "#59636e", "#9198a1"));
		COLOURS.put("#000003", List.of("--line", "#d1d9e0", "#3d444d"));
		COLOURS.put("#000004", List.of("--paper", "#ffffff", "#0d1117"));
		COLOURS.put("#000005", List.of("--tint", "#f6f8fa", "#161b22"));
		COLOURS.put("#000006", List.of("--accent", "#b3261e", "#ff8a80"));
		COLOURS.put("#000007", List.of("--good", "#dafbe1", "#12391f"));
		COLOURS.put("#000008", List.of("--bad", "#ffebe9", "#4a1d1a"));
		COLOURS.put("#000009", List.of("--soft", "#ddf4ff", "#0c2d4a"));
	}

	private PictureMain() {
	}

	/**
	 * Colours the pictures.
	 * @param arguments the folder of the texts, the folder with what PlantUML made of
	 * them, and the folder for the pictures
	 * @throws IOException if a file cannot be read or written
	 */
	public static void main(String[] arguments) throws IOException {
		Path sources = Path.of(arguments[0]);
		for (Path source : texts(sources)) {
			String name = source.getFileName().toString().replace(".puml", ".svg");
			String drawn = Files.readString(Path.of(arguments[1]).resolve(name));
			Files.writeString(Path.of(arguments[2]).resolve(name), coloured(drawn, fingerprint(sources, source)));
		}
	}

	/**
	 * Returns the texts of pictures.
	 * @param sources their folder
	 * @return all but what they include
	 * @throws IOException if the folder cannot be read
	 */
	static List<Path> texts(Path sources) throws IOException {
		try (Stream<Path> files = Files.list(sources)) {
			return files.filter((file) -> file.toString().endsWith(".puml")).sorted().toList();
		}
	}

	/**
	 * Returns a mark by which a picture that is older than its text is found.
	 * @param sources the folder of the texts
	 * @param source a text
	 * @return a digest of the text and the theme
	 * @throws IOException if a file cannot be read
	 */
	static String fingerprint(Path sources, Path source) throws IOException {
		String text = Files.readString(sources.resolve("theme.iuml")) + Files.readString(source);
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
			return HexFormat.of().formatHex(digest, 0, 8);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every JDK has SHA-256", ex);
		}
	}

	/**
	 * Replaces the colours of the theme, and removes what only PlantUML reads.
	 * @param drawn what PlantUML drew
	 * @param fingerprint of its text
	 * @return the picture
	 */
	static String coloured(String drawn, String fingerprint) {
		Document document = Jsoup.parse(drawn, Parser.xmlParser());
		document.outputSettings().prettyPrint(false);
		Element picture = document.expectFirst("svg");
		document.forEachNode((node) -> {
			if (node instanceof Comment || node instanceof XmlDeclaration) {
				node.remove();
			}
		});
		picture.select("title, defs:empty, [fill-opacity=0.00000]").remove();
		for (Element element : picture.select("*")) {
			List.of("id", "data-entity", "data-source-line", "data-qualified-name", "data-uid", "data-link-type",
					"data-entity-1", "data-entity-2", "data-participant", "data-participant-1", "data-participant-2",
					"class", "codeLine")
				.forEach(element::removeAttr);
			if (element.hasAttr("lengthAdjust")) {
				element.attr("lengthAdjust", "spacingAndGlyphs");
			}
			colour(element);
		}
		List.of("style", "width", "height", "preserveAspectRatio", "zoomAndPan", "contentStyleType", "version",
				"xmlns:xlink", "data-diagram-type")
			.forEach(picture::removeAttr);
		String[] box = picture.attr("viewBox").split(" ");
		picture.addClass(CLASS).attr(SOURCE, fingerprint).attr("width", box[2]).attr("height", box[3]);
		picture.prependChild(new Element("style").text(styles()));
		return picture.outerHtml() + "\n";
	}

	private static void colour(Element element) {
		StringBuilder style = new StringBuilder(element.attr("style"));
		for (String kind : List.of("fill", "stroke")) {
			String value = element.attr(kind);
			if (value.startsWith("#")) {
				element.removeAttr(kind);
				style.insert(0, kind + ":" + value + ";");
			}
		}
		String styled = style.toString();
		for (Map.Entry<String, List<String>> colour : COLOURS.entrySet()) {
			styled = styled.replace(colour.getKey(), "var(" + colour.getValue().get(0) + ")");
		}
		if (!styled.isEmpty()) {
			// The theme does not reach the bars on life lines, nor the edge of a start.
			element.attr("style", styled.replaceAll("#[0-9A-Fa-f]{6}", "var(--quiet)"));
		}
	}

	private static String styles() {
		return ":root{" + variables(1) + "}@media (prefers-color-scheme: dark){:root{" + variables(2) + "}}";
	}

	private static String variables(int place) {
		StringBuilder variables = new StringBuilder();
		COLOURS.values()
			.forEach((colour) -> variables.append(colour.get(0)).append(':').append(colour.get(place)).append(';'));
		return variables.toString();
	}

}
