package io.redelay.embedded.redis.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link EmbeddedRedisProperties}.
 */
class EmbeddedRedisPropertiesTests {

	@Test
	void hasDocumentedDefaults() {
		EmbeddedRedisProperties properties = bind(Map.of());
		assertThat(properties.enabled()).isTrue();
		assertThat(properties.port()).isEqualTo(6385);
		assertThat(properties.startupTimeout()).isEqualTo(Duration.ofSeconds(30));
		assertThat(properties.directory()).isNull();
	}

	@Test
	void isBound() {
		EmbeddedRedisProperties properties = bind(Map.of("redelay.embedded-redis.port", "7000",
				"redelay.embedded-redis.startup-timeout", "5s", "redelay.embedded-redis.directory", "/var/tmp/redis"));
		assertThat(properties.port()).isEqualTo(7000);
		assertThat(properties.startupTimeout()).isEqualTo(Duration.ofSeconds(5));
		assertThat(properties.directoryOrDefault()).isEqualTo(Path.of("/var/tmp/redis"));
	}

	@Test
	void keepsTheDataOfEachPortApartInTheHome(@TempDir Path home) {
		EmbeddedRedisProperties properties = bind(Map.of("redelay.embedded-redis.port", "7000"));
		assertThat(properties.defaultDirectory(home, Path.of("/nowhere")))
			.isEqualTo(home.resolve(".redelay/embedded-redis/7000"));
	}

	@Test
	void keepsTheDataElsewhereWithoutAHome(@TempDir Path temporary) {
		assertThat(bind(Map.of()).defaultDirectory(Path.of("/no/such/home"), temporary))
			.isEqualTo(temporary.resolve(".redelay/embedded-redis/6385"));
	}

	@Test
	void refusesATimeoutThatIsNotPositive() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new EmbeddedRedisProperties(true, 6385, null, Duration.ZERO))
			.withMessage("'redelay.embedded-redis.startup-timeout' must be positive, not PT0S");
	}

	@Test
	void isDescribedInTheMetadata() throws IOException {
		assertThat(metadata()).extracting((property) -> property.get("name"))
			.containsExactlyInAnyOrder("redelay.embedded-redis.enabled", "redelay.embedded-redis.port",
					"redelay.embedded-redis.directory", "redelay.embedded-redis.startup-timeout",
					"redelay.test.redis-server");
		assertThat(metadata())
			.allSatisfy((property) -> assertThat((String) property.get("description")).isNotBlank().endsWith("."));
	}

	private static List<Map<String, Object>> metadata() throws IOException {
		// There may be others on the class path; this module's own comes first.
		try (InputStream metadata = EmbeddedRedisProperties.class
			.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			return JsonPath.read(metadata, "$.properties");
		}
	}

	private static EmbeddedRedisProperties bind(Map<String, String> properties) {
		return new Binder(new MapConfigurationPropertySource(properties)).bindOrCreate("redelay.embedded-redis",
				EmbeddedRedisProperties.class);
	}

}
