package io.redelay.queue.actuate;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.redelay.queue.QueueException;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.SecurityContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AuditTrail}.
 */
class AuditTrailTests {

	private final List<Object> outcomes = new ArrayList<>();

	private final AuditTrail trail = new AuditTrail(
			(event) -> this.outcomes.add(((AuditApplicationEvent) event).getAuditEvent().getData().get("outcome")));

	@Test
	void whatMayHaveBeenDoneIsNotRefused() {
		fail("It is unknown whether the handler was interrupted");
		fail("The message stays as it is");
		assertThat(this.outcomes).containsExactly("unknown: It is unknown whether the handler was interrupted",
				"refused: The message stays as it is");
	}

	private void fail(String message) {
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> this.trail.follow(SecurityContext.NONE, "interrupt", Map.of(), () -> {
				throw new QueueException(message);
			}, String::valueOf));
	}

}
