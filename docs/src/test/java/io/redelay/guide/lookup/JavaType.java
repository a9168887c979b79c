package io.redelay.guide.lookup;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A type as its source declares it.
 *
 * @param packageName the package
 * @param kind {@code class}, {@code record}, {@code enum} or {@code @interface}
 * @param name the simple name
 * @param enclosing the simple name of the type around it, empty if there is none
 * @param modifiers annotations and modifiers before the kind
 * @param header what follows the name, up to the body
 * @param javadoc its Javadoc
 * @param body its body, with the types that are nested in it
 */
record JavaType(String packageName, String kind, String name, String enclosing, String modifiers, String header,
		Javadoc javadoc, String body) {

	private static final Pattern DECLARATION = Pattern.compile(
			"(?m)^(\\t*+)((?:(?:public|protected|private|static|final|abstract|sealed) )*+)(class|record|enum|@interface)"
					+ " (\\w++)([^;{]*+)\\{$");

	private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

	/**
	 * Finds the types of a source.
	 * @param source the text of a file
	 * @return the types, nested ones included
	 */
	static List<JavaType> of(String source) {
		List<JavaType> types = new ArrayList<>();
		Matcher in = PACKAGE.matcher(source);
		if (!in.find()) {
			return types;
		}
		String text = withoutInitializers(source);
		Map<String, String> outer = new HashMap<>();
		Matcher declaration = DECLARATION.matcher(text);
		while (declaration.find()) {
			String indent = declaration.group(1);
			outer.put(indent + "\t", declaration.group(4));
			int end = text.indexOf("\n" + indent + "}", declaration.end());
			String before = text.substring(0, declaration.start());
			types.add(new JavaType(in.group(1), declaration.group(3), declaration.group(4),
					outer.getOrDefault(indent, ""), annotations(before) + declaration.group(2), declaration.group(5),
					Javadoc.last(before), text.substring(declaration.end(), Math.max(end, declaration.end()))));
		}
		return types;
	}

	boolean isPublic() {
		return this.modifiers.contains("public ");
	}

	/**
	 * The annotations between the last Javadoc and a declaration.
	 */
	private static String annotations(String before) {
		return before.substring(before.lastIndexOf("*/") + 2) + " ";
	}

	/**
	 * Braces of an array in an annotation end no header.
	 */
	private static String withoutInitializers(String source) {
		return Pattern.compile("@DefaultValue\\(\\s*\\{([^}]*)}\\)")
			.matcher(source)
			.replaceAll((value) -> Matcher.quoteReplacement(
					"@DefaultValue(\"" + value.group(1).replaceAll("[\"\\s]", "").replace(",", ", ") + "\")"));
	}

}
