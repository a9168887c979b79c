package io.redelay.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

import io.redelay.outbox.docs.PlacedOrders;
import io.redelay.outbox.docs.SafeCheckout;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TopicScripts;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an outbox does, whichever database it is in.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxContract {

	private final List<OutboxApplication> applications = new ArrayList<>();

	private final String sharedQueue = TestServers.queue();

	private OutboxApplication shared;

	private String queue;

	String database;

	abstract TestServers servers();

	@BeforeEach
	void chooseNames() {
		this.queue = TestServers.queue();
		this.database = servers().newDatabase();
	}

	@AfterEach
	void closeApplications() {
		this.applications.forEach(OutboxApplication::close);
		this.applications.clear();
	}

	@AfterAll
	void closeShared() {
		if (this.shared != null) {
			this.shared.close();
		}
	}

	/**
	 * One for the tests that need nothing special. It listens to the shared queue.
	 */
	private OutboxApplication shared() {
		if (this.shared == null) {
			this.shared = application().listeningTo(this.sharedQueue)
				.with("redelay.outbox.retry.initial-interval", "1h")
				.with("redelay.outbox.retry.max-interval", "2h")
				.start();
		}
		return this.shared;
	}

	OutboxApplication start(OutboxApplication.Builder builder) {
		OutboxApplication application = builder.start();
		this.applications.add(application);
		return application;
	}

	OutboxApplication.Builder application() {
		return OutboxApplication.on(servers(), this.database);
	}

	@Test
	void whatIsCommittedIsDeliveredAndWhatIsRolledBackIsNot() {
		OutboxApplication application = shared();
		application.jdbc().sql("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)").update();
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> application.inTransaction(() -> {
			place(application, "undone");
			throw new IllegalStateException("thrown by a test");
		}));
		application.inTransaction(() -> {
			place(application, "first");
			nested(application, () -> place(application, "part"), true);
			nested(application, () -> place(application, "second"), false);
			assertThat(application.received()).doesNotContain("first");
		});
		Awaitility.await().untilAsserted(() -> assertThat(application.received()).contains("first", "second"));
		assertThat(application.received()).doesNotContain("undone", "part").doesNotHaveDuplicates();
		assertThat(application.jdbc().sql("SELECT id FROM orders").query(String.class).list())
			.containsExactlyInAnyOrder("first", "second");
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().count()).isZero());
		assertThat(application.admin().oldest()).isNull();
	}

	private void place(OutboxApplication application, String order) {
		application.jdbc().sql("INSERT INTO orders VALUES (?)").param(order).update();
		SendResult result = application.outbox().send(this.sharedQueue, order);
		assertThat(result.outcome()).isEqualTo(SendOutcome.ADDED);
	}

	private static void nested(OutboxApplication application, Runnable action, boolean undo) {
		TransactionTemplate nested = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
		nested.executeWithoutResult((status) -> {
			action.run();
			if (undo) {
				status.setRollbackOnly();
			}
		});
	}

	@Test
	void allThatIsAskedForASendIsKept() {
		OutboxApplication application = shared();
		Instant before = Instant.now();
		application.inTransaction(() -> {
			SendResult result = application.outbox()
				.send(OutboundMessage.to(this.queue, Map.of("text", "héllo \u0000 \uD83D\uDE00"))
					.id("m-1")
					.delay(Duration.ofMinutes(30))
					.header("tenant", "acme")
					.orderingKey("k")
					.priority(9)
					.tag("order:7")
					.tag("tenant é")
					.deduplicate(Deduplication.firstWins("once", Duration.ofHours(1))));
			assertThat(result.id()).isEqualTo("m-1");
			application.outbox()
				.send(OutboundMessage.to(this.queue, "again")
					.deduplicate(Deduplication.firstWins("once", Duration.ofHours(1))));
		});
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().count()).isZero());
		QueueInfo info = application.queues().queues().info(this.queue);
		assertThat(info.scheduled()).as("the second one is a duplicate").isEqualTo(1);
		assertThat(application.queues().messages().findByTag(this.queue, "tenant é", null, 10).messages()).hasSize(1);
		assertThat(application.queues().messages().find(this.queue, "m-1")).hasValueSatisfying((message) -> {
			assertThat(message.payloadAsText()).contains("héllo").contains("\uD83D\uDE00");
			assertThat(message.headers()).containsEntry("tenant", "acme");
			assertThat(message.tags()).containsExactly("order:7", "tenant é");
			assertThat(message.dueAt()).isAfterOrEqualTo(before.plus(Duration.ofMinutes(30)));
		});
	}

	@Test
	void whatIsPublishedReachesEachGroup() {
		OutboxApplication application = shared();
		String topic = TestServers.queue();
		TopicScripts topics = application.bean(QueueScripts.class).topics();
		topics.subscribe().run(topic, "billing", Duration.ofMinutes(1), DeclaredFilter.NONE).join();
		topics.subscribe().run(topic, "shipping", Duration.ofMinutes(1), DeclaredFilter.NONE).join();
		application.inTransaction(() -> {
			application.outbox().publish(OutboundMessage.to(topic, "paid").id("p-1"));
			assertThat(application.admin().list(0, 10)).filteredOn((entry) -> entry.destination().equals(topic))
				.singleElement()
				.satisfies((entry) -> assertThat(entry.topic()).isTrue());
		});
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().count()).isZero());
		assertThat(application.queues().messages().find(topic + "@billing", "p-1")).isPresent();
		assertThat(application.queues().messages().find(topic + "@shipping", "p-1")).isPresent();
	}

	@Test
	void theExampleOfTheGuideSendsWhatItSays() {
		OutboxApplication application = shared();
		application.jdbc().sql("CREATE TABLE placed_order (id VARCHAR(20) PRIMARY KEY, customer VARCHAR(20))").update();
		String id = "o-" + UUID.randomUUID().toString().substring(0, 8);
		application.bean(PlacedOrders.class).place(new PlacedOrders.Order(id, "amy"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(application.admin().list(0, 100))
				.noneMatch((entry) -> entry.destination().equals("receipts")));
		assertThat(application.queues().messages().find("receipts", id)).hasValueSatisfying((message) -> {
			assertThat(message.orderingKey()).isEqualTo("amy");
			assertThat(message.payloadAsText()).contains(id);
		});
		assertThat(application.queues().queues().info("payment-timeout").scheduled()).isPositive();
		SafeCheckout checkout = application.bean(SafeCheckout.class);
		String order = "s-" + UUID.randomUUID().toString().substring(0, 8);
		checkout.place(order);
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> checkout.place(order));
		Awaitility.await().untilAsserted(() -> {
			assertThat(application.admin().list(0, 100))
				.noneMatch((entry) -> entry.destination().equals("payment-timeouts"));
			assertThat(application.queues()
				.messages()
				.browse("payment-timeouts", MessageState.SCHEDULED, 0, 100)
				.messages()).filteredOn((message) -> message.payloadAsText().contains(order)).hasSize(1);
		});
	}

	@Test
	void severalRelaysSendEachMessageOnceAndThoseOfAKeyInTheirOrder() {
		OutboxApplication writer = start(application().with("redelay.outbox.relays", 2)
			.with("redelay.outbox.batch-size", 7)
			.listeningTo(this.queue));
		OutboxApplication other = start(application().with("redelay.outbox.relays", 2)
			.with("redelay.outbox.poll-interval", "10ms")
			.with("redelay.outbox.batch-size", 5));
		int keys = 6;
		int each = 40;
		for (int i = 0; i < each; i++) {
			int round = i;
			OutboxApplication instance = (round % 2 == 0) ? writer : other;
			instance.inTransaction(() -> IntStream.range(0, keys).forEach((key) -> {
				instance.outbox().send(OutboundMessage.to(this.queue, key + ":" + round).orderingKey("k" + key));
				instance.outbox().send(this.queue, "plain:" + key + ":" + round);
			}));
		}
		Awaitility.await().untilAsserted(() -> assertThat(writer.admin().count()).isZero());
		Awaitility.await()
			.untilAsserted(() -> assertThat(writer.received()).hasSizeGreaterThanOrEqualTo(2 * keys * each));
		assertThat(writer.received()).doesNotHaveDuplicates().hasSize(2 * keys * each);
		Map<String, List<Integer>> byKey = new HashMap<>();
		writer.received().stream().filter((payload) -> !payload.startsWith("plain")).forEach((payload) -> {
			String[] parts = payload.split(":");
			byKey.computeIfAbsent(parts[0], (key) -> new ArrayList<>()).add(Integer.parseInt(parts[1]));
		});
		assertThat(byKey).hasSize(keys)
			.allSatisfy((key, rounds) -> assertThat(rounds)
				.containsExactlyElementsOf(IntStream.range(0, each).boxed().toList()));
	}

	@Test
	void whatCannotBeSentStaysWithItsReasonAndHoldsUpNothingButItsKey() {
		OutboxApplication application = shared();
		String closed = TestServers.queue();
		application.bean(QueueOperations.class).send(closed, "there");
		application.queues().control().close(closed);
		application.inTransaction(() -> {
			application.outbox().send(OutboundMessage.to(closed, "one").id("one").orderingKey("k"));
			application.outbox().send(this.sharedQueue, "other");
		});
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().countFailed()).isEqualTo(1));
		application.inTransaction(() -> application.outbox().send(OutboundMessage.to(closed, "two").orderingKey("k")));
		application.inTransaction(() -> application.outbox().send(this.sharedQueue, "behind"));
		Awaitility.await().untilAsserted(() -> assertThat(application.received()).contains("other", "behind"));
		assertThat(application.admin().count()).isEqualTo(2);
		List<OutboxEntry> failed = application.admin().listFailed(0, 10);
		assertThat(failed).singleElement().satisfies((entry) -> {
			assertThat(entry.destination()).isEqualTo(closed);
			assertThat(entry.messageId()).isEqualTo("one");
			assertThat(entry.failure()).contains("closed for new messages");
			assertThat(entry.attempts()).isEqualTo(1);
			assertThat(entry.nextAttempt()).isAfter(Instant.now().plus(Duration.ofMinutes(50)));
		});
		assertThat(application.admin().list(failed.get(0).number(), 10)).singleElement()
			.satisfies((entry) -> assertThat(entry.failure()).isNull());
		application.queues().control().reopen(closed);
		assertThat(application.admin().retry(failed.get(0).number())).isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().count()).isZero());
		assertThat(application.queues().queues().info(closed).ready()).isEqualTo(3);
	}

	@Test
	void whatDoesNotFitIntoTheLineOfItsKeyStaysAndHoldsUpNoOtherKey() {
		OutboxApplication application = shared();
		String limited = TestServers.queue();
		application.bean(QueueOperations.class).send(OutboundMessage.to(limited, "there").orderingKey("k"));
		application.queues().limits().change(limited, LimitsChange.none().orderingKeyMaxLength(1));
		application.inTransaction(() -> {
			application.outbox().send(OutboundMessage.to(limited, "one too many").orderingKey("k"));
			application.outbox().send(OutboundMessage.to(limited, "other").orderingKey("other"));
		});
		Awaitility.await()
			.untilAsserted(() -> assertThat(application.queues().queues().info(limited).ready()).isEqualTo(2));
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().countFailed()).isEqualTo(1));
		OutboxEntry failed = application.admin().listFailed(0, 10).get(0);
		assertThat(failed.failure()).contains("the line of the ordering key 'k'");
		application.queues().limits().clear(limited);
		assertThat(application.admin().retry(failed.number())).isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().count()).isZero());
		assertThat(application.queues().queues().info(limited).ready()).isEqualTo(3);
	}

	/**
	 * As {@code spring.datasource.hikari.auto-commit=false}, which is common with JPA.
	 */
	@Test
	void aPoolWhoseConnectionsCommitNothingByThemselvesLosesAndDoublesNothing() {
		String closed = TestServers.queue();
		OutboxApplication application = start(application().with("spring.datasource.hikari.auto-commit", "false")
			.with("redelay.outbox.retry.initial-interval", "1h")
			.with("redelay.outbox.retry.max-interval", "2h")
			.listeningTo(this.queue));
		application.bean(QueueOperations.class).send(closed, "there");
		application.queues().control().close(closed);
		application.inTransaction(() -> {
			application.outbox().send(this.queue, "sent");
			application.outbox().send(closed, "refused");
		});
		Awaitility.await().untilAsserted(() -> assertThat(application.received()).containsExactly("sent"));
		Awaitility.await()
			.untilAsserted(() -> assertThat(application.admin().listFailed(0, 10)).singleElement()
				.satisfies((entry) -> assertThat(entry.destination()).isEqualTo(closed)));
		Awaitility.await().untilAsserted(() -> assertThat(application.admin().count()).isEqualTo(1));
		assertThat(application.admin().delete(application.admin().list(0, 10).get(0).number())).isTrue();
		assertThat(application.admin().count()).isZero();
		// A transaction, and none of this database.
		TransactionTemplate other = new TransactionTemplate(new OtherTransactions());
		other.executeWithoutResult((status) -> assertThatExceptionOfType(OutboxException.class)
			.isThrownBy(() -> application.outbox().send(this.queue, "lost"))
			.withMessageContaining("is not one of the DataSource that has the outbox"));
	}

	/**
	 * Transactions of something else, as of another database.
	 */
	private static final class OtherTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
			// There is nothing to begin.
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			// There is nothing to commit.
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
			// There is nothing to roll back.
		}

	}

	@Test
	void anInstanceThatIsKilledLosesNothingAndDoublesNothing() {
		String shared = sharedDatabase();
		OutboxApplication survivor = start(OutboxApplication.on(servers(), shared)
			.with("redelay.outbox.lease-time", "1s")
			.with("redelay.outbox.poll-interval", "100ms")
			.listeningTo(this.queue));
		survivor.jdbc().sql("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)").update();
		List<String> common = List.of("spring.data.redis.url=" + servers().redis(), "spring.datasource.url=" + shared,
				"test.target=" + this.queue, "redelay.outbox.lease-time=1s", "redelay.outbox.batch-size=5");
		try (OutboxInstance instance = instance(common)) {
			kill(instance, survivor);
		}
		Awaitility.await().untilAsserted(() -> assertThat(survivor.admin().count()).isZero());
		List<String> orders = survivor.jdbc().sql("SELECT id FROM orders").query(String.class).list();
		Awaitility.await()
			.untilAsserted(() -> assertThat(survivor.received()).hasSizeGreaterThanOrEqualTo(orders.size()));
		assertThat(survivor.received()).containsExactlyInAnyOrderElementsOf(orders);
	}

	private OutboxInstance instance(List<String> common) {
		List<String> properties = new ArrayList<>(common);
		properties.addAll(List.of("test.name=order", "test.dies-at-deletion=" + diesAtDeletion()));
		return OutboxInstance.start(properties);
	}

	/**
	 * At which deletion from the outbox the instance ends by itself.
	 */
	abstract int diesAtDeletion();

	/**
	 * Returns when the instance is dead.
	 */
	abstract void kill(OutboxInstance instance, OutboxApplication survivor);

	/**
	 * Where an empty database is that other processes can use.
	 */
	abstract String sharedDatabase();

}
