package io.redelay.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the metadata that an editor shows for {@code redelay.*}.
 */
class ConfigurationMetadataTests {

	@Test
	void everyPropertyIsDescribed() throws IOException {
		List<JsonNode> properties = properties();
		assertThat(properties).hasSizeGreaterThan(20)
			.allSatisfy((property) -> assertThat(property.path("description").asString(""))
				.as(property.get("name").asString())
				.endsWith(".")
				.doesNotContain("{@"));
	}

	@Test
	void thePropertiesThatAreDocumentedAreThere() throws IOException {
		assertThat(properties()).extracting((property) -> property.get("name").asString())
			.contains("redelay.queue.enabled", "redelay.queue.key-prefix", "redelay.queue.resend-timeout",
					"redelay.queue.safety-poll-interval", "redelay.queue.shutdown-timeout",
					"redelay.queue.send.after-commit", "redelay.queue.send.max-message-size",
					"redelay.queue.listener.enabled", "redelay.queue.listener.concurrency",
					"redelay.queue.listener.backoff.initial-interval", "redelay.queue.listener.backoff.jitter",
					"redelay.queue.queues", "redelay.lock.enabled", "redelay.lock.key-prefix",
					"redelay.lock.release-timeout", "redelay.lock.give-back-delay");
	}

	private static List<JsonNode> properties() throws IOException {
		List<JsonNode> properties = new ArrayList<>();
		for (var resource : Collections.list(ConfigurationMetadataTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = resource.openStream()) {
				JsonMapper.shared().readTree(in).get("properties").forEach((property) -> {
					if (property.get("name").asString().startsWith("redelay.")) {
						properties.add(property);
					}
				});
			}
		}
		return properties;
	}

}
