package io.redelay.queue.bundle;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.BundleInfo;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;
import reactor.core.publisher.Mono;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What the handlers of the messages of a bundle return, in the summary of its callback.
 */
class BundleResultsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String lines = TestRedis.queue();

	private final String others = TestRedis.queue();

	private final String batches = TestRedis.queue();

	private final String done = TestRedis.queue();

	private final List<ListenerApplication> applications = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.applications.forEach(ListenerApplication::close);
	}

	@Test
	void theSummaryHasWhatHandlersReturnedByTheIdsOfTheirMessages() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).keepResults(),
				List.of(line("price 1").id("a"), line("price 2").id("b"), line("nothing").id("c"), line("bad").id("d"),
						OutboundMessage.to(this.others, "text").id("e"),
						OutboundMessage.to(this.others, "bytes").id("f"), line("later 3").id("g"),
						line("mono 4").id("h")));
		BundleSummary summary = summary(application);
		assertThat(summary.acknowledged()).isEqualTo(7);
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.result("a", Price.class)).contains(new Price("price 1", 1));
		assertThat(summary.result("b", new ParameterizedTypeReference<Map<String, Object>>() {
		})).hasValueSatisfying((price) -> assertThat(price).containsEntry("minorUnits", 2));
		assertThat(summary.result("c", Price.class)).as("of a handler that returns nothing").isEmpty();
		assertThat(summary.result("d", Price.class)).as("of a dead one").isEmpty();
		assertThat(summary.result("e", String.class)).contains("a \"text\", \u00e9 \uD83D\uDE00");
		assertThat(summary.result("f", byte[].class)).contains(new byte[] { 0, -1, 'x' });
		assertThat(summary.result("g", Price.class)).as("of a future").contains(new Price("later 3", 3));
		assertThat(summary.result("h", Price.class)).as("of a Mono").contains(new Price("mono 4", 4));
		assertThat(summary.result("other", Price.class)).isEmpty();
		assertThat(summary.results().leftOut()).isZero();
		assertThat(summary.results().kept()).extracting(BundleResult::id)
			.containsExactlyInAnyOrder("a", "b", "e", "f", "g", "h");
		assertThatExceptionOfType(PayloadConversionException.class).isThrownBy(() -> summary.result("e", Price.class))
			.withMessageContaining("'e'")
			.withMessageContaining(this.others)
			.withMessageContaining(Price.class.getName())
			.withNoCause();
		assertNothingIsLeft();
	}

	@Test
	void resultsOfPartitionedQueuesComeFromEachPartition() throws InterruptedException {
		ListenerApplication application = start("redelay.queue.queues." + this.lines + ".partitions=3");
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done).keepResults());
		List<String> ids = bundle.add(IntStream.range(0, 30).mapToObj((i) -> line("price " + i)).toList());
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		assertThat(info(application, bundle).results()).isEqualTo(30);
		bundle.close();
		Map<String, Price> results = summary(application).results(Price.class);
		assertThat(results).containsOnlyKeys(ids);
		assertThat(ids).allSatisfy(
				(id) -> assertThat(results.get(id)).isEqualTo(new Price("price " + ids.indexOf(id), ids.indexOf(id))));
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void whatIsBeyondTheBoundsIsLeftOutAndCounted(CapturedLog log) throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done)
			.keepResults(new BundleResultBounds(DataSize.ofBytes(100), DataSize.ofBytes(450))));
		bundle.add(line("long 101").id("long"));
		bundle.add(line("odd").id("odd"));
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		assertThat(info(application, bundle).resultsLeftOut()).isEqualTo(2);
		assertThat(log.entriesWith("WARN", "'long'", "101 bytes", "keeps 100 of each")).hasSize(1);
		assertThat(log.entriesWith("WARN", "'odd'", "cannot be kept")).hasSize(1);
		for (int i = 0; i < 5; i++) {
			bundle.add(line("price " + i));
		}
		bundle.close();
		BundleSummary summary = summary(application);
		assertThat(summary.acknowledged()).isEqualTo(7);
		assertThat(summary.results().kept()).hasSizeBetween(1, 3);
		assertThat(summary.results().leftOut()).isEqualTo(7 - summary.results().kept().size());
	}

	@Test
	void aResultIsThatOfTheAttemptThatSucceeded() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).keepResults(), List.of(line("retried 5").id("a")));
		assertThat(summary(application).results(Price.class)).isEqualTo(Map.of("a", new Price("retried 5", 5)));
	}

	@Test
	void batchesAndMessagesThatAreRedrivenHaveNone() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done).keepResults());
		bundle.add(List.of(OutboundMessage.to(this.batches, "x"), line("once bad").id("redriven")));
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		application.bean(QueueAdmin.class).deadLetters().redrive(this.lines, "redriven");
		Waiting.await().until(() -> application.bean(Handlers.class).handled.contains("once bad"));
		Waiting.await().until(() -> application.bean(QueueAdmin.class).queues().info(this.lines).inFlight() == 0);
		bundle.close();
		BundleSummary summary = summary(application);
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.acknowledged()).isEqualTo(1);
		assertThat(summary.results()).isEqualTo(BundleResults.NONE);
	}

	@Test
	void oneIdInTwoQueuesIsAmbiguous() throws InterruptedException {
		ListenerApplication application = start();
		bundles(application).send(BundleCallback.to(this.done).keepResults(),
				List.of(line("price 1").id("same"), OutboundMessage.to(this.others, "text").id("same")));
		BundleSummary summary = summary(application);
		assertThatIllegalStateException().isThrownBy(() -> summary.result("same", String.class))
			.withMessageContaining("'same'")
			.withMessageContaining("kept()");
		assertThatIllegalStateException().isThrownBy(() -> summary.results(Object.class));
		BundleResult price = summary.results()
			.kept()
			.stream()
			.filter((result) -> result.queue().equals(this.lines))
			.findFirst()
			.orElseThrow();
		assertThat(summary.results().convert(price, ParameterizedTypeReference.<Price>forType(Price.class)))
			.isEqualTo(new Price("price 1", 1));
	}

	@Test
	void theJsonOfTheApplicationIsReadAsItWritesIt() throws InterruptedException {
		ListenerApplication application = builder()
			.bean("jsonMapper",
					JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build())
			.start();
		this.applications.add(application);
		bundles(application).send(BundleCallback.to(this.done).keepResults(), List.of(line("price 7").id("a")));
		BundleSummary summary = summary(application);
		assertThat(summary.results().kept().get(0).value()).contains("\"minor_units\":7");
		assertThat(summary.result("a", Price.class)).contains(new Price("price 7", 7));
		assertThat(summary.openedAtMillis()).isPositive();
	}

	@Test
	void aCallbackThatIsPulledHasThem() throws Exception {
		ListenerApplication application = start("test.callbacks=false");
		bundles(application).send(BundleCallback.to(this.done).keepResults(), List.of(line("price 1").id("a")));
		List<ReceivedMessage<BundleSummary>> received = application.bean(QueueReceiver.class)
			.receive(this.done, BundleSummary.class, 1, Duration.ofSeconds(30));
		assertThat(received).hasSize(1);
		assertThat(received.get(0).payload().result("a", Price.class)).contains(new Price("price 1", 1));
		received.get(0).acknowledge();
	}

	@Test
	void aBundleThatDoesNotAskPaysNothing() throws InterruptedException {
		ListenerApplication application = start();
		Bundle bundle = bundles(application).open(BundleCallback.to(this.done));
		bundle.add(line("price 1"));
		Waiting.await().until(() -> info(application, bundle).pending() == 0);
		assertThat(
				redis.client().<String, String>getMap(key("bundles"), StringCodec.INSTANCE).get(bundle.id()).split(" "))
			.as("its record")
			.hasSize(16);
		assertThat(application.bean(Handlers.class).bounds).isEmpty();
		bundle.close();
		assertThat(summary(application).results()).isEqualTo(BundleResults.NONE);
	}

	@Test
	void boundsThatCannotHoldAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new BundleResultBounds(DataSize.ofBytes(0), DataSize.ofBytes(10)))
			.withMessageContaining("'each'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new BundleResultBounds(DataSize.ofBytes(11), DataSize.ofBytes(10)))
			.withMessageContaining("'together'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new BundleResultBounds(DataSize.ofBytes(1), DataSize.ofMegabytes(5)))
			.withMessageContaining("'together'");
	}

	private OutboundMessage line(String line) {
		return OutboundMessage.to(this.lines, line);
	}

	private String key(String name) {
		return "redelay:{" + this.done + "}:" + name;
	}

	private ListenerApplication start(String... properties) {
		ListenerApplication.Builder builder = builder();
		for (String property : properties) {
			builder.with(property.split("=")[0], property.split("=")[1]);
		}
		ListenerApplication application = builder.start();
		this.applications.add(application);
		return application;
	}

	private ListenerApplication.Builder builder() {
		return ListenerApplication.on(redis)
			.beans(Handlers.class)
			.with("test.lines", this.lines)
			.with("test.others", this.others)
			.with("test.batches", this.batches)
			.with("test.done", this.done)
			.with("redelay.queue.safety-poll-interval", "200ms");
	}

	private static MessageBundles bundles(ListenerApplication application) {
		return application.bean(MessageBundles.class);
	}

	private static BundleInfo info(ListenerApplication application, Bundle bundle) {
		return application.bean(QueueAdmin.class).queues().bundle(bundle.queue(), bundle.id()).orElseThrow();
	}

	private static BundleSummary summary(ListenerApplication application) throws InterruptedException {
		BundleSummary summary = application.bean(Handlers.class).summaries.poll(60, TimeUnit.SECONDS);
		assertThat(summary).as("a callback").isNotNull();
		return summary;
	}

	private void assertNothingIsLeft() {
		Waiting.await()
			.untilAsserted(() -> assertThat(redis.client()
				.getKeys()
				.countExists(key("bundles"), key("bundles:callbacks"), key("bundles:pending"), key("bundles:results")))
				.isZero());
	}

	record Price(String line, int minorUnits) {

		static Price of(String line) {
			return new Price(line, Integer.parseInt(line.substring(line.indexOf(' ') + 1)));
		}

	}

	/**
	 * What no converter makes JSON of.
	 */
	static final class Odd {

		public String getProperty() {
			throw new IllegalStateException("is odd");
		}

	}

	static class Handlers {

		final BlockingQueue<BundleSummary> summaries = new LinkedBlockingQueue<>();

		final List<String> handled = new CopyOnWriteArrayList<>();

		final List<Object> bounds = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${test.lines}", concurrency = "2")
		@Nullable Object line(String line, @Header(name = QueueHeaders.BUNDLE_RESULT, required = false) @Nullable Object bound,
				@Header(QueueHeaders.ATTEMPT) int attempt) {
			if (bound != null) {
				this.bounds.add(bound);
			}
			boolean again = this.handled.contains(line + "?");
			this.handled.add(line + "?");
			if (line.equals("bad") || line.equals("once bad") && !again) {
				throw new RejectMessageException(line);
			}
			if (line.startsWith("retried") && attempt == 1) {
				throw new IllegalStateException("not yet");
			}
			this.handled.add(line);
			if (line.startsWith("later")) {
				return CompletableFuture.supplyAsync(() -> Price.of(line));
			}
			if (line.startsWith("mono")) {
				return Mono.fromSupplier(() -> Price.of(line));
			}
			if (line.startsWith("long")) {
				return "x".repeat(101);
			}
			if (line.equals("odd")) {
				return new Odd();
			}
			return line.startsWith("nothing") ? null : line.startsWith("once") ? "redriven" : Price.of(line);
		}

		@QueueListener("${test.others}")
		Object other(String line) {
			return line.equals("bytes") ? new byte[] { 0, -1, 'x' } : "a \"text\", \u00e9 \uD83D\uDE00";
		}

		@QueueListener("${test.batches}")
		String batch(List<String> lines) {
			return "of a batch";
		}

		@QueueListener(queues = "${test.done}", autoStartup = "${test.callbacks:true}")
		void done(BundleSummary summary) {
			this.summaries.add(summary);
		}

	}

}
