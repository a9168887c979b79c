package io.redelay.guide.lookup;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The page of all annotations, with their attributes.
 */
final class AnnotationPage {

	private static final Pattern ATTRIBUTE = Pattern
		.compile("(?m)^\\t([\\w.]+(?:<[^;]*?>)?(?:\\[])?) (\\w+)\\(\\)(?: default ([^;]*))?;");

	private static final Pattern ALIAS = Pattern.compile("@AliasFor\\((?:attribute = )?\"(\\w+)\"\\)\\s*$");

	private AnnotationPage() {
	}

	static String write(Sources sources) {
		Table page = new Table("look-up-annotations", "All annotations",
				"This page lists each annotation of Redelay with "
						+ "all of its attributes, their types and defaults. It is made from the code. Properties of listeners apply to "
						+ "attributes that an annotation leaves out; see <<look-up-properties>>.");
		sources.all((type) -> type.kind().equals("@interface") && type.isPublic())
			.sorted((a, b) -> a.name().compareTo(b.name()))
			.forEach((annotation) -> describe(annotation, page));
		return page.toString();
	}

	private static void describe(JavaType annotation, Table page) {
		page.section("look-up-" + annotation.name().toLowerCase(Locale.ROOT), "@" + annotation.name());
		page.paragraph("`" + annotation.packageName() + "." + annotation.name() + "`. " + annotation.javadoc().text());
		String body = annotation.body()
			.replaceAll("(?s)\\n\\t/\\*\\*[^/]*?\\*/\\s*(?:\\t@[^\\n]*\\n)*\\t@interface.*", "");
		Matcher attribute = ATTRIBUTE.matcher(body);
		boolean any = false;
		while (attribute.find()) {
			if (!any) {
				page.begin("3,2,2,6", "Attribute", "Type", "Default", "Meaning");
				any = true;
			}
			String before = body.substring(0, attribute.start());
			Javadoc javadoc = Javadoc.last(before);
			String value = attribute.group(3);
			Matcher alias = ALIAS.matcher(before.strip());
			page.row(
					List.of("`" + attribute.group(2) + "`", "`" + attribute.group(1) + "`", Defaults.of(value, javadoc),
							alias.find() ? "The same as `" + alias.group(1) + "`." : Defaults.meaning(javadoc)));
		}
		if (any) {
			page.end();
		}
	}

}
