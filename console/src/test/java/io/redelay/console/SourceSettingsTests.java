package io.redelay.console;

import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SourceSettings}.
 */
class SourceSettingsTests {

	@Test
	void aSourceHasThePropertiesOfAnApplication() {
		MockEnvironment console = environment("shop.sentinel.nodes[0]=one:1", "shop.sentinel.nodes[1]=two:2",
				"shop.sentinel.master=main", "shop.password=secret", "shop.key-prefix=eu:redelay",
				"shop.lock-key-prefix=eu:locks");
		assertThat(SourceSettings.of(console).get(0).toProperties(console))
			.containsEntry("spring.data.redis.sentinel.nodes[1]", "two:2")
			.containsEntry("spring.data.redis.sentinel.master", "main")
			.containsEntry("spring.data.redis.password", "secret")
			.containsEntry("redelay.queue.key-prefix", "eu:redelay")
			.containsEntry("redelay.lock.key-prefix", "eu:locks")
			.containsEntry("redelay.queue.listener.enabled", "false");
	}

	@Test
	void whatIsForAllSourcesIsForEachAndWhatIsForAnApplicationIsForNone() {
		MockEnvironment console = environment("shop.host=here").withProperty("redelay.redisson.threads", "3")
			.withProperty("management.endpoint.queues.show-payloads", "always")
			.withProperty("management.endpoint.queues.access", "unrestricted")
			.withProperty("management.endpoint.queues.show-stacks", "always")
			.withProperty("spring.data.redis.url", "redis://elsewhere")
			.withProperty("redelay.queue.listener.enabled", "true");
		assertThat(SourceSettings.of(console).get(0).toProperties(console))
			.containsEntry("redelay.redisson.threads", "3")
			.containsEntry("redelay.redisson.netty-threads", "2")
			.containsEntry("management.endpoint.queues.show-payloads", "always")
			.containsEntry("management.endpoint.queues.access", "read-only")
			.containsEntry("management.endpoint.queues.show-stacks", "never")
			.containsEntry("redelay.queue.listener.enabled", "false")
			.doesNotContainKey("spring.data.redis.url");
	}

	@Test
	void environmentVariablesNameSourcesAsWell() {
		MockEnvironment console = new MockEnvironment();
		console.getPropertySources()
			.addLast(new SystemEnvironmentPropertySource("systemEnvironment",
					Map.of("REDELAY_CONSOLE_SOURCES_SHOP_URL", "rediss://here",
							"REDELAY_CONSOLE_SOURCES_SHOP_KEYPREFIX", "own", "REDELAY_CONSOLE_SOURCES_SHOP_CLIENTNAME",
							"console")));
		SourceSettings source = SourceSettings.of(console).get(0);
		assertThat(source.name()).isEqualTo("shop");
		assertThat(source.toProperties(console)).containsEntry("spring.data.redis.url", "rediss://here")
			.containsEntry("redelay.queue.key-prefix", "own");
	}

	@Test
	void sourcesAreInTheOrderOfTheirNames() {
		assertThat(SourceSettings.of(environment("shop.host=a", "billing.host=b", "mail-eu.host=c")))
			.extracting(SourceSettings::name)
			.containsExactly("billing", "mail-eu", "shop");
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"',
			value = { "shop.passwrod=geheim, 'redelay.console.sources.shop.passwrod' is no property of a source",
					"shop.password=geheim, 'redelay.console.sources.shop' does not say where its Redis is",
					"Shop.url=redis://here, 'Shop' cannot be the name of a source",
					"error.url=redis://here, 'error' cannot be the name of a source" })
	void whatCannotBeRightIsRefusedWithoutItsValue(String property, String message) {
		assertThatExceptionOfType(ConsoleSettingsException.class)
			.isThrownBy(() -> SourceSettings.of(environment(property)))
			.withMessageStartingWith(message)
			.satisfies((failure) -> assertThat(failure.getMessage()).doesNotContain("geheim"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "here:6379", "http://here", "redis://", "redis://user:ge#heim@here",
			"redis://user:ge heim@here", "redis://:ge%heim@here" })
	void aWrongUrlIsNotShown(String url) {
		assertThatExceptionOfType(ConsoleSettingsException.class)
			.isThrownBy(() -> SourceSettings.of(environment("shop.url=" + url)))
			.withMessageStartingWith("'redelay.console.sources.shop.url' is no URL of a Redis")
			.satisfies((failure) -> assertThat(failure.getMessage()).doesNotContain("heim"));
	}

	@Test
	void aUrlInCapitalsIsOneAsWell() {
		assertThatExceptionOfType(ConsoleSettingsException.class)
			.isThrownBy(() -> SourceSettings.of(environment("shop.URL=redis://user:ge heim@here")))
			.withMessageContaining("is no URL of a Redis");
		SourceSettings source = SourceSettings.of(environment("shop.URL=redis://me:geheim@here")).get(0);
		assertThat(source.reason("refused: geheim")).isEqualTo("refused: ***");
	}

	@Test
	void noRestOfALongerSecretIsLeft() {
		SourceSettings source = new SourceSettings("shop",
				Map.of("host", "here", "password", "geheim", "sentinel.password", "geheim-too"));
		assertThat(source.reason("geheim-too, geheim")).isEqualTo("***, ***");
		source = new SourceSettings("shop",
				Map.of("host", "here", "password", "geheim-too", "sentinel.password", "geheim"));
		assertThat(source.reason("geheim-too, geheim")).isEqualTo("***, ***");
	}

	@Test
	void aConsoleWithoutSourcesDoesNotStart() {
		assertThatExceptionOfType(ConsoleSettingsException.class).isThrownBy(() -> SourceSettings.of(environment()))
			.withMessage("The console has no source.");
	}

	@Test
	void aReasonHasNoSecrets() {
		SourceSettings source = new SourceSettings("shop",
				Map.of("url", "redis://me:ge%40heim@here", "sentinel.password", "other"));
		assertThat(source.reason("Cannot reach redis://me:x@here with ge%40heim or ge@heim or other\nsecond line"))
			.isEqualTo("Cannot reach redis://***@here with *** or *** or ***");
		assertThat(source.reason("WRONGPASS wrong.. channel: [id: 0x1] command: (AUTH), params: [other]"))
			.isEqualTo("WRONGPASS wrong.");
		assertThat(source.toString()).isEqualTo("shop");
	}

	private static MockEnvironment environment(String... properties) {
		MockEnvironment environment = new MockEnvironment();
		Stream.of(properties)
			.map((property) -> property.split("=", 2))
			.forEach((pair) -> environment.withProperty("redelay.console.sources." + pair[0], pair[1]));
		return environment;
	}

}
