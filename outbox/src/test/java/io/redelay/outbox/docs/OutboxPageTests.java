package io.redelay.outbox.docs;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page of the guide has the properties that there are.
 */
class OutboxPageTests {

	private static final Pattern ROW = Pattern.compile("(?m)^\\|`(redelay\\.outbox[^`]+)` \\|`([^`]+)` \\|\\S");

	@Test
	void showsThePropertiesWithTheirDefaults() throws IOException {
		Map<String, String> shown = ROW.matcher(page())
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2), (a, b) -> a, TreeMap::new));
		Map<String, String> there = new TreeMap<>();
		try (InputStream metadata = new ClassPathResource("META-INF/spring-configuration-metadata.json")
			.getInputStream()) {
			for (JsonNode property : JsonMapper.shared().readTree(metadata).required("properties")) {
				assertThat(property.path("description").asString()).as(property.toString()).isNotBlank();
				there.put(property.required("name").asString(), property.required("defaultValue").asString());
			}
		}
		assertThat(shown).isNotEmpty().isEqualTo(there);
	}

	private static String page() throws IOException {
		return Files.readString(Path.of("../docs/src/docs/asciidoc/outbox.adoc"));
	}

}
