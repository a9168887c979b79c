package io.redelay.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.BulkJob;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RMap;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the guide does what the guide says.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@DirtiesContext
class GuideIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String PREFIX = "guide-" + UUID.randomUUID();

	@Autowired
	private QueueOperations queues;

	@Autowired
	private Orders orders;

	@Autowired
	private Sending sending;

	@DynamicPropertySource
	static void properties(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.url", () -> redis.uri().toString());
		registry.add("redelay.queue.key-prefix", () -> PREFIX);
		registry.add("redelay.queue.safety-poll-interval", () -> "500ms");
		registry.add("redelay.queue.topics[order-events].retention.max-age", () -> "1h");
		registry.add("redelay.queue.queues[newsletters].dead-letters.max-count", () -> "1");
	}

	@BeforeEach
	void forget() {
		this.orders.reported.clear();
	}

	@Test
	void aMessageSentLaterArrives() {
		this.queues.send("payment-timeout", new PaymentTimeout.TimeIsUp("7"), Duration.ofMillis(50));
		awaitReported("cancel 7");
	}

	@Test
	void sendsInEachWay() throws Exception {
		assertThat(this.sending.simple("1", Instant.now().plusSeconds(86_400)).duplicate()).isFalse();
		assertThat(this.sending.builder("2").id()).isEqualTo("order-2");
		assertThat(this.sending.builder("2").duplicate()).isTrue();
		assertThat(this.sending.timeToLive().duplicate()).isFalse();
		assertThat(this.sending.deadline().duplicate()).isFalse();
		assertThat(this.sending.all(List.of(new Sending.Mail("a", "b"), new Sending.Mail("c", "d")))).hasSize(2);
		assertThat(this.sending.async().get().queue()).isEqualTo("mails");
		this.sending.startTimeout("3");
		awaitReported("cancel 3");
	}

	@Test
	void sendsAfterTheCommit(@Autowired TransactionTemplate transaction) {
		transaction.executeWithoutResult((status) -> {
			this.queues.send("reports", "January");
			status.setRollbackOnly();
		});
		transaction.executeWithoutResult((status) -> {
			this.sending.place("4");
			this.queues.send("reports", "February");
		});
		awaitReported("report February");
		assertThat(this.orders.reported).contains("insert 4").doesNotContain("report January");
	}

	@Test
	void takesParameters() {
		this.queues.send(OutboundMessage.to("parameters", new Listening.Order("5")).header("tenant", "north"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.orders.reported).anySatisfy(
					(reported) -> assertThat(reported).startsWith("5 of north, sent at ").endsWith("attempt 1")));
	}

	@Test
	void handlesInEachWay() {
		this.queues.send("payments", new Listening.Order("charged"));
		awaitReported("mail charged");
		this.queues.send("mails-by-future", "future");
		awaitReported("mail future");
		this.queues.send("mails-by-mono", "mono");
		awaitReported("mail mono");
		this.queues.send("clicks", new Listening.Click("/"));
		awaitReported("1 clicks");
		this.queues.send("invoices", new Listening.Order("6"));
		awaitReported("book 6");
		this.queues.send("mails-in-batches", new Listening.Order("12"));
		awaitReported("mail 12");
		this.queues.send("pushes", new Listening.Order("11"));
		awaitReported("pushed 11");
		this.queues.send("receipts", new Listening.Order("7"));
		awaitReported("mail 7");
	}

	@Test
	void publishesToGroups(@Autowired Topics topics, @Autowired QueueAdmin admin) {
		assertThat(topics.placed("11").groups()).containsKeys("billing", "shipping");
		awaitReported("bill 11");
		awaitReported("ship 11");
		awaitReported("show 11");
		assertThat(topics.remind("11").groups()).hasSize(3);
		this.orders.reported.clear();
		assertThat(topics.billAgain(admin, Instant.now().minusSeconds(60))).isPositive();
		awaitReported("bill 11");
		assertThat(this.orders.reported).doesNotContain("ship 11");
	}

	@Test
	void dealsWithErrors() {
		this.queues.send("letters", "amy");
		awaitReported("print amy");
		this.queues.send("newsletters", "amy");
		awaitReported("dead newsletters REJECTED");
	}

	@Test
	void interceptsSendsAndDeliveries(@Autowired Errors.Tenant tenant) {
		tenant.set("north");
		this.queues.send("parcels", "1");
		tenant.clear();
		this.queues.send("parcels", "2");
		awaitReported("parcel 1 of north");
		awaitReported("parcel 2 of nobody");
		awaitReported("letters.deliverParcel done");
	}

	@Test
	void looksAtQueuesAndActsOnThem(@Autowired Administration administration, @Autowired QueueAdmin admin,
			@Autowired QueueListenerEndpointRegistry registry) {
		for (String id : List.of("order-7", "order-8", "order-9")) {
			this.queues.send(OutboundMessage.to("reminders", "call").id(id).delay(Duration.ofHours(1)));
		}
		Instant peak = Instant.now().plus(4, ChronoUnit.HOURS).truncatedTo(ChronoUnit.HOURS);
		for (int i = 0; i < 5; i++) {
			this.queues.send(OutboundMessage.to("reminders", "call").dueAt(peak));
		}
		assertThat(administration.changing("order-9").done()).isTrue();
		assertThat(administration.acting()).containsOnly(true);
		String spread = administration.calendar().id();
		Awaitility.await().until(() -> admin.jobs().find(spread).orElseThrow().state() == BulkJob.State.DONE);
		assertThat(admin.jobs().find(spread).orElseThrow().done()).isPositive();
		this.queues.send("exports", new Administration.Export(List.of("a", "b")));
		awaitReported("export b");
		assertThat(administration.looking()).isOne();
		assertThat(administration.diagnosing()).isNotBlank();
		administration.container(registry);
		this.queues.send("uploads", "broken");
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info("uploads").dead()).isOne());
		BulkJob job = administration.inBulk();
		assertThat(job.request().startedBy()).isEqualTo("ann");
		Awaitility.await().until(() -> admin.jobs().find(job.id()).orElseThrow().state() != BulkJob.State.RUNNING);
		assertThat(administration.deadLetters().redriven()).isOne();
		awaitReported("1 of 1");
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info("uploads").dead()).isOne());
		assertThat(administration.queues().closed()).isTrue();
		awaitReported("1 removed");
	}

	@Test
	void findsMessagesByTags(@Autowired Administration administration) {
		assertThat(this.sending.tags().duplicate()).isFalse();
		assertThat(administration.tagged().redriven()).isZero();
		awaitReported("1 cancelled of 1");
	}

	@Test
	void removesDeadMessages() {
		this.queues.send("newsletters", "bob");
		this.queues.send("newsletters", "cid");
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.orders.reported)
				.anyMatch((reported) -> reported.matches("removed \\d+ dead of newsletters")));
	}

	@Test
	void handsDeadMessagesOn() {
		this.queues.send("shipments", "piano");
		awaitReported("piano was not shipped: Nobody carries a piano");
		this.queues.send("offers", "amy");
		awaitReported("sorry, amy: REJECTED");
	}

	@Test
	void registersAndRemovesAListener(@Autowired Listening listening, @Autowired QueueListeners listeners) {
		listening.register(listeners, "north");
		this.queues.send("imports.north", new Listening.Order("8"));
		awaitReported("8");
		listening.remove(listeners, "north");
		assertThat(listeners.find("imports-north")).isEmpty();
	}

	@Test
	void receivesOnDemand(@Autowired QueueReceiver receiver) {
		Pulling pulling = new Pulling(receiver, this.orders);
		this.queues.send("parcels-to-weigh", new Pulling.Parcel("12"));
		pulling.receive();
		awaitReported("weigh 12");
		CompletableFuture<Void> done = pulling.async();
		this.queues.send("parcels-to-weigh", new Pulling.Parcel("13"));
		done.join();
		awaitReported("weigh 13");
	}

	@Test
	void handlesPayloadTypes() {
		this.queues.send("orders", new Listening.OrderPlaced("9", 2));
		awaitReported("9 with 2 items");
		this.queues.send(
				OutboundMessage.to("orders", new Listening.OrderCancelled("10", "late")).payloadType("order-rejected"));
		awaitReported("10: order-rejected");
		this.queues.send("orders", "text");
		awaitReported("not known yet: null");
		assertThat(this.sending.messageOptions().duplicate()).isFalse();
	}

	@Test
	void theChapterOnTheInsideNamesEveryKey() throws IOException {
		this.queues.send("receipts", new Listening.Order("nobody"));
		this.queues.send("invoices", new Listening.Order(""));
		this.queues.send(OutboundMessage.to("reminders", "later").id("1").delay(Duration.ofHours(1)));
		String guide = Files.readString(Path.of("..", "docs", "src", "docs", "asciidoc", "inside.adoc"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(keys()).contains("redelay:{q}:dead:messages", "redelay:{q}:tries"));
		assertThat(keys()).allSatisfy((key) -> assertThat(guide).contains("|`" + key + "`"));
	}

	@Test
	void theChapterOnDeadLettersShowsAnAttempt() throws IOException {
		this.queues.send("receipts", new Listening.Order("nobody"));
		RMap<String, String> dead = redis.client().getMap(PREFIX + ":{receipts}:dead:messages", StringCodec.INSTANCE);
		Awaitility.await()
			.untilAsserted(() -> assertThat(dead.readAllKeySet()).anyMatch((key) -> key.endsWith("/cause")));
		String cause = dead.readAllEntrySet()
			.stream()
			.filter((entry) -> entry.getKey().endsWith("/cause"))
			.findFirst()
			.orElseThrow()
			.getValue();
		String guide = Files.readString(Path.of("..", "docs", "src", "docs", "asciidoc", "dead-letters.adoc"));
		String shown = guide.substring(guide.indexOf("{\n  \"at\""), guide.indexOf("\n}\n----") + 2);
		assertThat(JsonMapper.shared().readTree(shown).propertyNames())
			.containsExactlyElementsOf(JsonMapper.shared().readTree(cause).propertyNames());
	}

	private static Set<String> keys() {
		return redis.client()
			.getKeys()
			.getKeysStream(KeysScanOptions.defaults().pattern(PREFIX + ":*"))
			.map((key) -> key.replace(PREFIX, "redelay")
				.replaceFirst(":instances}:.+", ":instances}:name")
				.replaceFirst("\\{[^:].+}", "{q}")
				.replaceFirst("}@[^:]+:", "}:") // of a group as of a queue
				.replaceFirst(":sent:.+", ":sent:lane"))
			.collect(Collectors.toSet());
	}

	private void awaitReported(String what) {
		Awaitility.await().untilAsserted(() -> assertThat(this.orders.reported).contains(what));
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ PaymentTimeout.class, Errors.class, DeadLetters.class, Listening.OrderEvents.class,
			Listening.NoTests.class })
	static class Application {

		@Bean
		Sending sending(QueueOperations queues, Orders orders) {
			return new Sending(queues, orders);
		}

		@Bean
		Listening listening(Orders orders, Listening.Mailer mailer) {
			return new Listening(orders, mailer);
		}

		@Bean
		Topics topics(QueueOperations queues, Orders orders) {
			return new Topics(queues, orders);
		}

		@Bean
		Administration administration(QueueAdmin admin, Orders orders) {
			return new Administration(admin, orders);
		}

		@Bean
		Orders orders() {
			return new Orders();
		}

		@Bean
		Listening.Mailer mailer(Orders orders) {
			return new Listening.Mailer() {

				@Override
				public CompletableFuture<Void> mail(String text) {
					return CompletableFuture.runAsync(() -> orders.report("mail " + text));
				}

				@Override
				public boolean knows(String address) {
					return !address.equals("nobody");
				}

				@Override
				public boolean isClosed() {
					return false;
				}

			};
		}

	}

}
