package io.redelay.management;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.work.Checkpoint;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a tracer sees of messages, with OpenTelemetry as Spring Boot sets it up.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.main.web-application-type=servlet", "management.tracing.sampling.probability=1",
				"management.otlp.metrics.export.enabled=false", "redelay.tracing.claims=true" })
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class TracingIntegrationTests {

	/**
	 * Not a bean, or Spring Boot would export each span to it once more.
	 */
	private static final InMemorySpanExporter exporter = InMemorySpanExporter.create();

	private final String id = UUID.randomUUID().toString();

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueAdmin admin;

	@Autowired
	private Listeners listeners;

	@Test
	void aRequestAndTheHandlerOfItsDelayedMessageShareATrace(@LocalServerPort int port)
			throws IOException, InterruptedException {
		HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders/" + this.id))
				.POST(HttpRequest.BodyPublishers.noBody())
				.build(), BodyHandlers.discarding());
		SpanData handled = await("process orders").get(0);
		SpanData sent = spans("send orders").get(0);
		Awaitility.await().untilAsserted(() -> assertThat(exporter.getFinishedSpanItems()).anySatisfy((request) -> {
			assertThat(request.getKind()).isEqualTo(SpanKind.SERVER);
			assertThat(request.getParentSpanContext().isValid()).isFalse();
			assertThat(request.getTraceId()).isEqualTo(handled.getTraceId());
		}));
		assertThat(sent.getKind()).isEqualTo(SpanKind.PRODUCER);
		assertThat(handled.getKind()).isEqualTo(SpanKind.CONSUMER);
		assertThat(handled.getTraceId()).isEqualTo(sent.getTraceId());
		assertThat(handled.getParentSpanId()).isEqualTo(sent.getSpanId());
		assertThat(handled.getStartEpochNanos())
			.as("it starts when its delay is over; the clock of Redis counts milliseconds")
			.isGreaterThanOrEqualTo(sent.getStartEpochNanos() + Duration.ofMillis(290).toNanos());
		assertThat(handled.getLinks()).isEmpty();
	}

	@Test
	void eachRetryLinksToTheFirstAttempt() {
		this.queues.send(OutboundMessage.to("failing", "x").id(this.id));
		Awaitility.await().untilAsserted(() -> assertThat(spans("process failing")).hasSize(3));
		List<SpanData> attempts = spans("process failing");
		assertThat(attempts).extracting(SpanData::getParentSpanId)
			.containsOnly(spans("send failing").get(0).getSpanId());
		assertThat(attempts.get(0).getLinks()).isEmpty();
		for (SpanData retry : attempts.subList(1, 3)) {
			assertThat(linked(retry)).containsExactly(attempts.get(0).getSpanId());
			assertThat(retry.getLinks().get(0).getAttributes().asMap().values()).containsExactly("first-attempt");
		}
	}

	@Test
	void whatIsLoggedOfAFailureNamesItsTrace(CapturedOutput output) {
		this.queues.send(OutboundMessage.to("failing", "x").id(this.id).maxAttempts(1));
		SpanData sent = await("send failing").get(0);
		Awaitility.await()
			.untilAsserted(() -> assertThat(output.getOut().lines())
				.anySatisfy((line) -> assertThat(line).contains("'" + this.id + "'", "is dead", sent.getTraceId())));
	}

	@Test
	void whatIsLoggedOfAFailureBehindACheckpointNamesItsTrace(CapturedOutput output) {
		this.queues.send(OutboundMessage.to("saving", "x").id(this.id).maxAttempts(1));
		SpanData sent = await("send saving").get(0);
		Awaitility.await()
			.untilAsserted(() -> assertThat(output.getOut().lines())
				.anySatisfy((line) -> assertThat(line).contains("'" + this.id + "'", "is dead", sent.getTraceId())));
	}

	@Test
	void whatIsRedrivenStaysInItsTrace() {
		this.listeners.heals.set(false);
		this.queues.send(OutboundMessage.to("healing", "x").id(this.id).maxAttempts(1));
		SpanData sent = await("send healing").get(0);
		Awaitility.await().until(() -> this.admin.queues().info("healing").dead() == 1);
		this.listeners.heals.set(true);
		this.admin.deadLetters().redrive("healing", this.id);
		Awaitility.await().untilAsserted(() -> assertThat(spans("process healing")).hasSize(2));
		assertThat(spans("process healing")).extracting(SpanData::getTraceId).containsOnly(sent.getTraceId());
		assertThat(spans("process healing")).extracting(SpanData::getParentSpanId).containsOnly(sent.getSpanId());
	}

	@Test
	void aBatchLinksToAllItsSenders() {
		List<OutboundMessage> messages = Stream.of("a", "b", "c")
			.map((text) -> OutboundMessage.to("batched", text).id(this.id + text))
			.toList();
		this.admin.control().pause("batched");
		messages.forEach(this.queues::send);
		List<String> senders = exporter.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getName().equals("send batched"))
			.map(SpanData::getSpanId)
			.toList();
		assertThat(senders).hasSize(3).doesNotHaveDuplicates();
		this.admin.control().resume("batched");
		Awaitility.await()
			.untilAsserted(() -> assertThat(exporter.getFinishedSpanItems())
				.filteredOn((span) -> span.getName().equals("process batched"))
				.singleElement()
				.satisfies((batch) -> {
					assertThat(linked(batch)).containsExactlyInAnyOrderElementsOf(senders);
					assertThat(batch.getParentSpanContext().isValid()).isFalse();
				}));
	}

	@Test
	void onlyClaimsThatBringMessagesAreTraced() {
		this.queues.send(OutboundMessage.to("claimed", "x").id(this.id));
		await("process claimed");
		// The listener goes on to claim, and finds nothing.
		Awaitility.await()
			.untilAsserted(() -> assertThat(exporter.getFinishedSpanItems())
				.filteredOn((span) -> span.getName().equals("claim claimed"))
				.singleElement()
				.satisfies((claim) -> {
					assertThat(claim.getKind()).isEqualTo(SpanKind.CLIENT);
					assertThat(claim.getParentSpanContext().isValid()).isFalse();
					assertThat(claim.getEndEpochNanos()).isGreaterThan(claim.getStartEpochNanos());
					assertThat(claim.getAttributes().get(AttributeKey.longKey("messaging.batch.message_count")))
						.isOne();
					assertThat(claim.getAttributes().get(AttributeKey.stringKey("messaging.operation.name")))
						.isEqualTo("claim");
				}));
	}

	private List<SpanData> await(String name) {
		Awaitility.await().untilAsserted(() -> assertThat(spans(name)).isNotEmpty());
		return spans(name);
	}

	/**
	 * The spans of this test's message, the earliest first.
	 */
	private List<SpanData> spans(String name) {
		return exporter.getFinishedSpanItems()
			.stream()
			.filter((span) -> span.getName().equals(name))
			.filter((span) -> span.getAttributes().asMap().containsValue(this.id))
			.sorted((one, other) -> Long.compare(one.getStartEpochNanos(), other.getStartEpochNanos()))
			.toList();
	}

	private static List<String> linked(SpanData span) {
		return span.getLinks().stream().map(LinkData::getSpanContext).map((context) -> context.getSpanId()).toList();
	}

	static class Listeners {

		final AtomicBoolean heals = new AtomicBoolean();

		@QueueListener({ "orders", "claimed" })
		void handle(String text) {
		}

		@QueueListener(queues = "failing", maxAttempts = "3")
		void fail(String text) {
			throw new IllegalStateException("fails");
		}

		@QueueListener(queues = "saving", resetAttemptsOnProgress = "true")
		void save(String text, Checkpoint<String> checkpoint) {
			checkpoint.save(text);
			throw new IllegalStateException("fails");
		}

		@QueueListener("healing")
		void heal(String text) {
			if (!this.heals.get()) {
				throw new IllegalStateException("not yet");
			}
		}

		@QueueListener(queues = "batched", batchSize = "3", batchTimeout = "5s")
		void handleAll(List<String> texts) {
		}

	}

	@RestController
	static class Orders {

		private final QueueOperations queues;

		Orders(QueueOperations queues) {
			this.queues = queues;
		}

		@PostMapping("/orders/{id}")
		void order(@PathVariable String id) {
			this.queues.send(OutboundMessage.to("orders", "x").id(id).delay(Duration.ofMillis(300)));
		}

	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Listeners.class, Orders.class })
	static class Application {

		@Bean
		SpanProcessor processor() {
			return SimpleSpanProcessor.create(exporter);
		}

		@Bean
		SecurityFilterChain open(HttpSecurity http) {
			return http.csrf((csrf) -> csrf.disable())
				.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
				.build();
		}

	}

}
