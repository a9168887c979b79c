package io.redelay.autoconfigure;

import java.util.List;

import io.redelay.guard.Finding;
import io.redelay.guard.GuardLevel;
import io.redelay.guard.UnsuitableRedisException;
import io.redelay.queue.wire.WireGate;
import org.junit.jupiter.api.Test;

import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link UnsuitableRedisFailureAnalyzer}.
 */
class UnsuitableRedisFailureAnalyzerTests {

	private final UnsuitableRedisFailureAnalyzer analyzer = new UnsuitableRedisFailureAnalyzer();

	@Test
	void aFindingOfTheGuardCanBeOverruled() {
		FailureAnalysis analysis = this.analyzer.analyze(
				new UnsuitableRedisException(List.of(new Finding(GuardLevel.FAIL, "It evicts.", "Set 'noeviction'."))));
		assertThat(analysis.getDescription()).isEqualTo("It evicts.");
		assertThat(analysis.getAction())
			.isEqualTo("Set 'noeviction'. To start nevertheless, set the property of 'redelay.guard' to warn.");
	}

	@Test
	void thatVersionsDoNotFitCannot() {
		FailureAnalysis analysis = this.analyzer
			.analyze(new WireCheck.RefusedException(new WireGate.Refusal("It is too old.", "Update it.")));
		assertThat(analysis.getDescription()).isEqualTo("It is too old.");
		assertThat(analysis.getAction()).isEqualTo("Update it.");
	}

}
