package io.redelay.management.docs;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.FileSystemResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The properties of Spring Boot that the recipes of the guide show are there. Those of
 * Redelay are bound by a test of {@code autoconfigure}.
 */
class RecipeMetadataTests {

	private static final Path RECIPES = Path.of("..", "autoconfigure", "src", "test", "java", "io", "redelay", "docs",
			"recipes");

	@ParameterizedTest
	@MethodSource("applications")
	void eachPropertyIsKnown(Path file) throws IOException {
		Set<String> known = new HashSet<>();
		Set<String> maps = new HashSet<>();
		for (URL resource : Collections
			.list(getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = resource.openStream()) {
				for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
					String name = property.path("name").asString();
					known.add(name);
					if (property.path("type").asString("").startsWith("java.util.Map")) {
						maps.add(name + ".");
					}
				}
			}
		}
		assertThat(known).contains("spring.data.redis.url").doesNotContain("spring.data.redis.uri");
		List<String> unknown = new YamlPropertySourceLoader().load("recipe", new FileSystemResource(file))
			.stream()
			.flatMap((source) -> Arrays.stream(((EnumerablePropertySource<?>) source).getPropertyNames()))
			.filter((name) -> !name.startsWith("redelay.") && !name.startsWith("management.endpoint.queues."))
			.filter((name) -> !known.contains(name) && maps.stream().noneMatch(name::startsWith))
			.toList();
		assertThat(unknown).as(file.toString()).isEmpty();
	}

	static List<Path> applications() throws IOException {
		try (Stream<Path> files = Files.list(RECIPES)) {
			return files.filter((file) -> file.toString().endsWith(".yaml"))
				.filter((file) -> !Set.of("kubernetes.yaml", "keda.yaml", "dead-letter-alert.yaml")
					.contains(file.getFileName().toString()))
				.toList();
		}
	}

}
