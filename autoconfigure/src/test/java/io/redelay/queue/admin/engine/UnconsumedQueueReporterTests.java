package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.queue.wire.Script;
import io.redelay.test.CapturedLog;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link UnconsumedQueueReporter} that look before anything has arrived.
 */
@ExtendWith(CapturedLog.Extension.class)
class UnconsumedQueueReporterTests {

	private static final Duration AFTER = Duration.ofMinutes(5);

	private final VirtualTime time = new VirtualTime();

	private final AdminScripts store = IdleStore.admin();

	private final UnconsumedQueueReporter queues = new UnconsumedQueueReporter(this.store, this.time, AFTER);

	@BeforeEach
	void noListenerIsThere() {
		given(this.store.lanes().run(anyString())).willReturn(CompletableFuture.completedFuture(List.of()));
		given(this.store.runner().runOnKey(eq(Script.INSTANCES), anyString(), anyString(), any()))
			.willReturn(CompletableFuture.completedFuture(Map.of()));
	}

	@Test
	void looksAgainIfTheFirstMessageHasNotArrived(CapturedLog log) {
		given(this.store.count().run("late")).willReturn(waiting(0)).willReturn(waiting(1));
		this.queues.sentTo("late");
		this.time.advance(AFTER);
		assertThat(reported(log, "late")).isEmpty();
		this.time.advance(AFTER);
		assertThat(reported(log, "late")).hasSize(1);
		this.queues.sentTo("late");
		this.time.advance(AFTER.multipliedBy(2));
		assertThat(reported(log, "late")).hasSize(1);
	}

	@Test
	void looksAgainIfRedisDidNotSay(CapturedLog log) {
		given(this.store.count().run("silent"))
			.willReturn(CompletableFuture.failedFuture(new StoreException("no answer", null)))
			.willReturn(waiting(1));
		this.queues.sentTo("silent");
		this.time.advance(AFTER.multipliedBy(2));
		assertThat(reported(log, "silent")).hasSize(1);
	}

	@Test
	void looksAnewAfterALaterSendIfThreeLooksFoundNothing(CapturedLog log) {
		given(this.store.count().run("empty")).willReturn(waiting(0))
			.willReturn(waiting(0))
			.willReturn(waiting(0))
			.willReturn(waiting(1));
		this.queues.sentTo("empty");
		this.time.advance(AFTER.multipliedBy(10));
		verify(this.store.count(), times(3)).run("empty");
		assertThat(reported(log, "empty")).isEmpty();
		this.queues.sentTo("empty");
		this.time.advance(AFTER);
		assertThat(reported(log, "empty")).hasSize(1);
	}

	private static CompletableFuture<CountScript.Counts> waiting(long ready) {
		return CompletableFuture
			.completedFuture(new CountScript.Counts(Instant.EPOCH, new CountScript.Messages(0, ready, 0, 0, 0, 0, 0, 0),
					null, null, new CountScript.Status(false, false, null), 0, 0, StoredLimits.NONE));
	}

	private static List<String> reported(CapturedLog log, String queue) {
		return log.entriesWith("No listener consumes the queue '" + queue + "'").toList();
	}

}
