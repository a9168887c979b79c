package io.redelay.docs.recipes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.sun.net.httpserver.HttpServer;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The recipes of the guide do what their titles promise: all in one application.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@DirtiesContext
class RecipesIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@TempDir
	static Path folder;

	private static final String PREFIX = "recipes-" + UUID.randomUUID();

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueAdmin admin;

	@Autowired
	private RecordingMailer mailer;

	@Autowired
	private JdbcTemplate jdbc;

	@DynamicPropertySource
	static void properties(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.url", () -> redis.uri().toString());
		registry.add("redelay.queue.key-prefix", () -> PREFIX);
		registry.add("redelay.lock.key-prefix", () -> PREFIX);
		registry.add("redelay.queue.safety-poll-interval", () -> "500ms");
		registry.add("redelay.queue.listener.backoff.initial-interval", () -> "20ms");
		registry.add("spring.jackson.datatype.enum.read-unknown-enum-values-using-default-value", () -> "true");
		registry.add("prices.file", () -> folder.resolve("prices").toString());
	}

	@Test
	void whatATransactionSendsLeavesWithItsCommit(@Autowired Checkout checkout) {
		checkout.place("order-1");
		assertThat(this.admin.queues().info("payment-timeouts").scheduled()).isOne();
		assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> checkout.place("order-1"));
		assertThat(this.admin.queues().info("payment-timeouts").scheduled()).isOne();
	}

	@Test
	void anInvoiceIsWrittenOnce(@Autowired Invoices invoices) {
		Invoices.Invoice invoice = new Invoices.Invoice("order-2", "amy@example.org");
		invoices.request(invoice);
		invoices.request(invoice);
		// One that another sender sends without a key is not written either.
		this.queues.send("invoices", invoice);
		awaitHandled("invoices");
		assertThat(this.mailer.to("amy@example.org")).containsExactly("The invoice of order-2");
	}

	@Test
	void manyAreSentInParts(@Autowired Newsletter newsletter) {
		List<String> readers = IntStream.range(0, 12_000).mapToObj((i) -> "reader-" + i).toList();
		newsletter.send("may", readers);
		newsletter.send("may", readers);
		QueueInfo info = this.admin.queues().info("newsletters");
		assertThat(info.scheduled() + info.ready()).isEqualTo(12_000);
	}

	@Test
	void aLargePayloadIsReadWhereItIs(@Autowired Scans scans) {
		scans.upload("amy", new byte[3_000_000]);
		Awaitility.await()
			.untilAsserted(
					() -> assertThat(this.admin.messages().browse("scan-results", MessageState.READY, 0, 1).messages())
						.hasSize(1));
	}

	@Test
	void eachGroupHasItsCopy(@Autowired OrderEvents events) {
		events.placed("order-3");
		awaitMailed("billing", "order-3");
		awaitMailed("shipping", "order-3");
	}

	@Test
	void theNextStepIsSentOnceTheHandlerSucceeded(@Autowired Fulfilment fulfilment) {
		this.mailer.failOnce("warehouse");
		this.queues.send("paid-orders", "order-4");
		awaitMailed("carrier", "order-4");
		awaitHandled("packed-orders");
		assertThat(this.mailer.to("carrier")).containsExactly("order-4");
	}

	@Test
	void aSenderGetsTheAnswer(@Autowired Quotes quotes) {
		assertThat(quotes.ask("piano")).succeedsWithin(Duration.ofSeconds(30))
			.isEqualTo(new Quotes.Quote("piano", 499));
	}

	@Test
	void aMailIsSentAgainUntilItWorks() {
		this.mailer.failOnce("bob@example.org");
		String id = this.queues.send("receipts", new Receipts.Receipt("bob@example.org", "Thanks")).id();
		Awaitility.await().untilAsserted(() -> {
			assertThat(this.admin.messages().find("receipts", id)).hasValueSatisfying((message) -> {
				assertThat(message.state()).isEqualTo(MessageState.SCHEDULED);
				assertThat(message.failures()).isOne();
			});
		});
		assertThat(this.admin.messages().runNow("receipts", id).done()).isTrue();
		awaitMailed("bob@example.org", "Thanks");
	}

	@Test
	void whatCannotSucceedIsDeadAtOnceAndShown(@Autowired RecordingPager pager,
			@Autowired DeadLettersHealthIndicator health) {
		this.queues.send("card-payments", new CardPayments.Payment("gold", 0));
		this.queues.send("card-payments", new CardPayments.Payment("stolen", 5));
		this.queues.send("card-payments", new CardPayments.Payment("busy", 5));
		Awaitility.await().untilAsserted(() -> {
			assertThat(this.admin.queues().info("card-payments").dead()).isEqualTo(2);
			assertThat(this.admin.queues().info("card-payments").scheduled()).isOne();
		});
		assertThat(this.admin.messages().browse("card-payments", MessageState.DEAD, 0, 2).messages())
			.extracting(QueuedMessage::failures)
			.containsOnly(1);
		assertThat(pager.pages).anyMatch(
				(page) -> page.contains("of card-payments is dead (REJECTED)") && page.contains("The card is stolen"));
		assertThat(health.health().getStatus().getCode()).isEqualTo("DEGRADED");
		assertThat(health.health().getDetails()).containsEntry("card-payments", 2L);
	}

	@Test
	void aServerThatAsksToWaitIsLeftInPeace(@Autowired Webhooks webhooks) throws IOException {
		Queue<Integer> answers = new ConcurrentLinkedQueue<>(List.of(429, 500, 200, 404));
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", (exchange) -> {
			exchange.getResponseHeaders().add("Retry-After", "1");
			exchange.sendResponseHeaders(answers.remove(), -1);
			exchange.close();
		});
		server.start();
		try {
			URI address = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
			webhooks.notify(new Webhooks.Webhook(address, "paid"));
			awaitHandled("webhooks");
			assertThat(answers).containsExactly(404);
			webhooks.notify(new Webhooks.Webhook(address, "gone"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.admin.deadLetters().counts("webhooks")).singleElement()
					.extracting("reason")
					.isEqualTo(DeathReason.REJECTED));
		}
		finally {
			server.stop(0);
		}
	}

	@Test
	void aBatchIsStoredWithoutWhatDoesNotFit() {
		for (String page : List.of("/a", "", "/b")) {
			this.queues.send("clicks", new Clicks.Click(UUID.randomUUID().toString(), page));
		}
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.jdbc.queryForList("SELECT page FROM click", String.class))
				.containsExactlyInAnyOrder("/a", "/b"));
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info("clicks").dead()).isOne());
	}

	@Test
	void longWorkGoesOnWhereItFailed() {
		this.mailer.failOnce("shoes page 3");
		this.queues.send("catalogue-imports", new CatalogueImport.Catalogue("shoes", 4));
		awaitMailed("import", "shoes page 4");
		assertThat(this.mailer.to("import")).containsExactly("shoes page 1", "shoes page 2", "shoes page 3",
				"shoes page 4");
	}

	@Test
	void thePayloadOfAnotherVersionIsRead() {
		this.queues.send("parcels", Map.of("customer", "cid", "carrier", "DRONE", "colour", "red"));
		awaitMailed("cid", "OTHER null");
	}

	@Test
	void deadMessagesAreRedrivenByTheirCause(@Autowired Repair repair, @Autowired Transfers transfers) {
		this.queues.send("transfers", "1");
		this.queues.send("transfers", "broken");
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info("transfers").dead()).isEqualTo(2));
		transfers.mended = true;
		assertThat(repair.timeouts()).isOne();
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info("transfers").dead()).isOne());
	}

	@Test
	void theReportOfTheNightIsWritten(@Autowired RecurringMessages recurring) {
		assertThat(recurring.find("reports", "sales-report").orElseThrow().nextRuns()).isNotEmpty();
		assertThat(recurring.runNow("reports", "sales-report")).isTrue();
		Awaitility.await().untilAsserted(() -> assertThat(this.mailer.to("sales")).hasSize(1));
	}

	@Test
	void aScheduledMethodRunsOnce(@Autowired Cleanup cleanup) {
		cleanup.run();
		cleanup.run();
		assertThat(this.mailer.to("cleanup")).containsExactly("done");
	}

	@Test
	void aReminderIsCancelledOrMoved(@Autowired Reminders reminders) {
		Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
		reminders.remind("order-5", tomorrow);
		reminders.remind("order-6", tomorrow);
		assertThat(reminders.cancel("order-5")).isTrue();
		assertThat(reminders.cancel("order-5")).isFalse();
		assertThat(reminders.move("order-6", Instant.now())).isTrue();
		awaitMailed("customer", "Please pay order-6");
		assertThat(this.mailer.to("customer")).doesNotContain("Please pay order-5");
	}

	@Test
	void offersWaitAtNight(@Autowired RecurringMessages recurring, @Autowired QueueGates gates) {
		this.queues.send("offers", "shoes");
		recurring.runNow("nights", "night");
		Awaitility.await()
			.untilAsserted(() -> assertThat(gates.closedUntil("offers"))
				.hasValueSatisfying((until) -> assertThat(until).isAfter(Instant.now().plus(Duration.ofHours(8)))));
	}

	@Test
	void eachCustomerHasALimit(@Autowired CustomerCalls calls) {
		calls.request("amy", "hello");
		awaitMailed("api", "hello");
		assertThat(this.admin.limits().of("customer-calls").of(QueueLimit.KEY_RATE_LIMIT).declared().toString())
			.contains("10/1s");
		List<String> many = IntStream.range(0, 12).mapToObj((i) -> "call " + i).toList();
		long begin = System.nanoTime();
		many.forEach((each) -> calls.request("ben", each));
		Awaitility.await().untilAsserted(() -> assertThat(this.mailer.to("api")).containsAll(many));
		// The eleventh call of a customer waits for the second window.
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(900));
	}

	@Test
	void theEventsOfACustomerStayInOrder(@Autowired AccountEvents events) {
		List<String> texts = IntStream.range(0, 30).mapToObj(Integer::toString).toList();
		texts.forEach((text) -> events.happened(new AccountEvents.AccountEvent("dora", text)));
		awaitHandled("account-events");
		assertThat(this.mailer.to("dora")).containsExactlyElementsOf(texts);
	}

	@Test
	void whatIsUrgentComesFirst(@Autowired Exports exports) {
		exports.ofTenant("north", "a");
		exports.ofTenant("north", "b");
		exports.ofTenant("south", "c");
		exports.urgent("d");
		assertThat(this.admin.messages().browse("exports", MessageState.READY, 0, 10).messages())
			.extracting(QueuedMessage::payloadAsText, QueuedMessage::fairnessKey, QueuedMessage::priority)
			.startsWith(tuple("d", null, 9))
			.contains(tuple("a", "north", null), tuple("b", "north", null), tuple("c", "south", null));
	}

	@Test
	void noPieceIsReservedTwice(@Autowired Stock stock) {
		this.jdbc.update("INSERT INTO stock VALUES ('shoe', 10)");
		List<CompletableFuture<Boolean>> orders = Stream
			.generate(() -> CompletableFuture.supplyAsync(() -> stock.reserve(new Stock.OrderLine("shoe", 1))))
			.limit(14)
			.toList();
		assertThat(orders.stream().filter(CompletableFuture::join)).hasSize(10);
		assertThat(this.jdbc.queryForObject("SELECT pieces FROM stock", Integer.class)).isZero();
	}

	@Test
	void aBusyLockIsNotWaitedFor(@Autowired Exchange exchange, @Autowired LockTemplate locks) throws Exception {
		assertThat(exchange.refresh("EUR")).isEqualTo("refreshed EUR");
		assertThat(locks.execute(LockSpec.of("rates:EUR"),
				() -> CompletableFuture.supplyAsync(() -> exchange.refresh("EUR")).join()))
			.isEqualTo("EUR is being refreshed elsewhere");
	}

	@Test
	void readersSeeAWholeFile(@Autowired PriceList prices) throws IOException {
		prices.replace("shoe 49");
		assertThat(prices.read()).isEqualTo("shoe 49").isEqualTo(Files.readString(folder.resolve("prices")));
	}

	@Test
	void aLateHolderOfALockIsRefused(@Autowired Payout payouts) {
		this.jdbc.update("INSERT INTO payout VALUES (1, FALSE, 0), (2, FALSE, 1000000)");
		assertThat(payouts.pay(1)).isTrue();
		assertThat(payouts.pay(2)).isFalse();
	}

	@Test
	void aRenamedQueueIsDrained(@Autowired MovedQueue moved) {
		this.queues.send("letters", "old");
		moved.send("new");
		awaitMailed("letters", "old");
		awaitMailed("letters", "new");
	}

	private void awaitMailed(String to, String text) {
		Awaitility.await().untilAsserted(() -> assertThat(this.mailer.to(to)).contains(text));
	}

	private void awaitHandled(String queue) {
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.admin.queues().info(queue))
				.matches((info) -> info.ready() + info.scheduled() + info.inFlight() == 0, "everything is handled"));
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@ComponentScan
	static class Application {

		@Bean
		RecordingMailer mailer() {
			return new RecordingMailer();
		}

		@Bean
		RecordingPager pager() {
			return new RecordingPager();
		}

		@Bean
		FileStore files() {
			Map<URI, byte[]> files = new ConcurrentHashMap<>();
			return new FileStore() {

				@Override
				public URI put(byte[] content) {
					URI place = URI.create("memory:" + UUID.randomUUID());
					files.put(place, content);
					return place;
				}

				@Override
				public byte[] get(URI place) {
					return files.get(place);
				}

			};
		}

		@Bean
		Transfers transfers() {
			return new Transfers();
		}

		@Bean
		InitializingBean tables(JdbcTemplate jdbc) {
			return () -> List
				.of("CREATE TABLE placed_order (id VARCHAR(64) PRIMARY KEY)", "CREATE TABLE click (page VARCHAR(64))",
						"CREATE TABLE stock (article VARCHAR(64) PRIMARY KEY, pieces INT)",
						"CREATE TABLE payout (id BIGINT PRIMARY KEY, paid BOOLEAN, token BIGINT)")
				.forEach(jdbc::execute);
		}

	}

	/**
	 * What the recipe on redriving has failed with.
	 */
	static class Transfers {

		private volatile boolean mended;

		@QueueListener(queues = "transfers", maxAttempts = "1")
		void transfer(String text) throws IOException {
			if (text.equals("broken")) {
				throw new IOException("broken");
			}
			if (!this.mended) {
				throw new SocketTimeoutException("The bank does not answer");
			}
		}

	}

	static class RecordingPager implements Pager {

		private final Queue<String> pages = new ConcurrentLinkedQueue<>();

		@Override
		public void page(String text) {
			this.pages.add(text);
		}

	}

	/**
	 * Keeps the mails, and fails once where it is asked to.
	 */
	static class RecordingMailer implements Mailer {

		private final Queue<Map.Entry<String, String>> mails = new ConcurrentLinkedQueue<>();

		private final Queue<String> failures = new ConcurrentLinkedQueue<>();

		void failOnce(String what) {
			this.failures.add(what);
		}

		List<String> to(String address) {
			return this.mails.stream()
				.filter((mail) -> mail.getKey().equals(address))
				.map(Map.Entry::getValue)
				.toList();
		}

		@Override
		public void mail(String to, String text) {
			if (this.failures.remove(to) || this.failures.remove(text)) {
				throw new IllegalStateException("The mail server is away");
			}
			this.mails.add(Map.entry(to, text));
		}

	}

}
