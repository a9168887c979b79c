package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.StringMessageConverter;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link RecurringMaintenance}.
 */
class RecurringMaintenanceTests {

	private final VirtualTime time = new VirtualTime();

	private final RecurringStore store = Mockito.mock(RecurringStore.class,
			(invocation) -> invocation.getMethod().getReturnType().equals(CompletableFuture.class)
					? CompletableFuture.failedFuture(new StoreException("thrown by a test", null, true)) : "one");

	private final RecurringEngine engine = new RecurringEngine(this.store, new EnvelopeCodec(), JsonMapper.shared(),
			new StringMessageConverter(), new RecurringReporter(Runnable::run, (event) -> {
			}), this.time, Duration.ofHours(3), (queue) -> null);

	@Test
	void anInstanceThatDeclaresIsAnnouncedAtOnceWhenRedisIsBack() {
		this.engine.declare(RecurringDeclaration.cron("ticks", "tick", "0 0 3 * * *").payload("x"), "a test");
		given(this.store.announce(any())).willReturn(new CompletableFuture<>());
		this.engine.care().start();
		verify(this.store, times(1)).announce(Duration.ofHours(3));
		this.time.advance(Duration.ofMinutes(30));
		this.engine.care().redisIsBack();
		verify(this.store, times(2)).announce(Duration.ofHours(3));
		this.engine.care().stop();
		this.engine.care().redisIsBack();
		verify(this.store, times(2)).announce(Duration.ofHours(3));
	}

	@Test
	void anInstanceThatDeclaresNothingIsNotAnnounced() {
		this.engine.care().start();
		this.engine.care().redisIsBack();
		verify(this.store, never()).announce(any());
	}

}
