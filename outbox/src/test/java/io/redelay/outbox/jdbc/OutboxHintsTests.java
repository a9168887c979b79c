package io.redelay.outbox.jdbc;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the hints that let a native image create the schema of the outbox.
 */
class OutboxHintsTests {

	@ParameterizedTest
	@EnumSource
	void eachScriptOfTheSchemaIsThere(OutboxDialect dialect) {
		RuntimeHints hints = new RuntimeHints();
		SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
			.load(RuntimeHintsRegistrar.class)
			.stream()
			.filter(OutboxHints.class::isInstance)
			.forEach((registrar) -> registrar.registerHints(hints, null));
		assertThat(OutboxMigrations.SCRIPTS).isNotEmpty()
			.allSatisfy((script) -> assertThat(RuntimeHintsPredicates.resource().forResource(dialect.folder() + script))
				.accepts(hints));
	}

}
