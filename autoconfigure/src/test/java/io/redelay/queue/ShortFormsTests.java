package io.redelay.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The short forms of {@link QueueOperations} and {@link ReactiveQueueOperations} send
 * what the messages that they stand for would: blocking, as a future and as a
 * {@code Mono}.
 */
class ShortFormsTests {

	private static final OutboundMessage MESSAGE = OutboundMessage.to("orders", "x");

	private static final Duration DELAY = Duration.ofSeconds(5);

	private static final Instant DUE = Instant.parse("2030-01-01T00:00:00Z");

	@Test
	void ofASend() {
		assertStandsFor(MESSAGE, (queues, reactive) -> {
			queues.send("orders", "x");
			queues.sendAsync("orders", "x");
			reactive.send("orders", "x");
		});
	}

	@Test
	void ofASendAfterADelay() {
		assertStandsFor(MESSAGE.delay(DELAY), (queues, reactive) -> {
			queues.send("orders", "x", DELAY);
			queues.sendAsync("orders", "x", DELAY);
			reactive.send("orders", "x", DELAY);
		});
	}

	@Test
	void ofASendAtATime() {
		assertStandsFor(MESSAGE.dueAt(DUE), (queues, reactive) -> {
			queues.sendAt("orders", "x", DUE);
			queues.sendAtAsync("orders", "x", DUE);
			reactive.sendAt("orders", "x", DUE);
		});
	}

	@Test
	void ofAPublish() {
		assertStandsFor(MESSAGE, (queues, reactive) -> {
			queues.publish("orders", "x");
			queues.publishAsync("orders", "x");
			reactive.publish("orders", "x");
		});
	}

	private static void assertStandsFor(OutboundMessage message,
			BiConsumer<QueueOperations, ReactiveQueueOperations> calls) {
		QueueOperations queues = Mockito.mock(QueueOperations.class, Mockito.CALLS_REAL_METHODS);
		ReactiveQueueOperations reactive = Mockito.mock(ReactiveQueueOperations.class, Mockito.CALLS_REAL_METHODS);
		Mockito.doReturn(null).when(queues).send(Mockito.any(OutboundMessage.class));
		Mockito.doReturn(null).when(queues).sendAsync(Mockito.any(OutboundMessage.class));
		Mockito.doReturn(null).when(queues).publish(Mockito.any(OutboundMessage.class));
		Mockito.doReturn(null).when(queues).publishAsync(Mockito.any(OutboundMessage.class));
		Mockito.doReturn(Mono.empty()).when(reactive).send(Mockito.any(OutboundMessage.class));
		Mockito.doReturn(Mono.empty()).when(reactive).publish(Mockito.any(OutboundMessage.class));
		Mockito.clearInvocations(queues, reactive);
		calls.accept(queues, reactive);
		assertThat(List.of(queues, reactive)
			.stream()
			.flatMap((mock) -> Mockito.mockingDetails(mock).getInvocations().stream())
			.map((call) -> call.getArgument(0))
			.filter(OutboundMessage.class::isInstance)).hasSize(3)
			.allSatisfy((sent) -> assertThat(sent).usingRecursiveComparison().isEqualTo(message));
	}

}
