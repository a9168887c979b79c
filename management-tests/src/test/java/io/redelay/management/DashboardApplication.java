package io.redelay.management;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.queue.Backoff;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.RecurringState;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/**
 * An application to look at the dashboard with: queues that are busy, fail, are paused,
 * limited, wait in turn or have no consumer, with a Redis of its own. Everybody may do
 * everything, and a strict policy says what pages may load. It listens on the port in
 * {@code server.port}, 18080 by default: {@code /actuator/redelay}.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class DashboardApplication {

	/**
	 * Stricter than what an application sends for its own pages, and than what the page
	 * says of itself.
	 */
	private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
			+ " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
			+ " require-trusted-types-for 'script'; trusted-types 'none'";

	private static final CountDownLatch NEVER = new CountDownLatch(1);

	private final AtomicInteger sent = new AtomicInteger();

	private final QueueOperations queues;

	private final QueueAdmin admin;

	private final LockTemplate locks;

	DashboardApplication(QueueOperations queues, QueueAdmin admin, LockTemplate locks) {
		this.queues = queues;
		this.admin = admin;
		this.locks = locks;
	}

	public static void main(String[] args) {
		application().run(args);
	}

	/**
	 * The application with its settings; arguments of {@code run} come before them.
	 */
	static SpringApplication application() {
		SpringApplication application = new SpringApplication(DashboardApplication.class);
		application.setDefaultProperties(
				Map.ofEntries(Map.entry("server.port", "18080"), Map.entry("redelay.embedded-redis.port", "0"),
						Map.entry("management.endpoints.web.exposure.include", "*"),
						Map.entry("management.endpoint.queues.access", "unrestricted"),
						Map.entry("management.endpoint.queues.show-payloads", "always"),
						Map.entry("management.endpoint.queues.show-stacks", "always"),
						Map.entry("management.opentelemetry.enabled", "false"),
						Map.entry("management.otlp.metrics.export.enabled", "false"),
						Map.entry("redelay.queue.queues.orders.completed.max-age", "1h"),
						Map.entry("redelay.queue.topics.order-events.retention.max-age", "1h"),
						Map.entry("redelay.queue.topics.order-events.groups.billing.filter.test.exists", "false"),
						Map.entry("redelay.queue.queues.invoices.ordering-key", "#{payload.customer}"),
						Map.entry("redelay.queue.instance-name", "dashboard-1")));
		return application;
	}

	@Bean
	SecurityFilterChain everybodyMayDoEverything(HttpSecurity http) {
		return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
			.csrf((csrf) -> csrf.disable())
			.headers((headers) -> headers.contentSecurityPolicy((policy) -> policy.policyDirectives(POLICY)))
			.build();
	}

	@EventListener(ApplicationReadyEvent.class)
	void begin() {
		for (int i = 0; i < 500; i++) {
			this.queues.send("scheduled-only", Map.of("number", i), Duration.ofMinutes(30 + i));
		}
		Instant hour = Instant.now().truncatedTo(ChronoUnit.HOURS);
		for (int ahead = 1; ahead < 30; ahead++) {
			int due = (ahead == 9) ? 5_000 : 40 + ahead * ahead * 37 % 600;
			Instant at = hour.plus(Duration.ofHours(ahead));
			this.queues.sendAll(IntStream.range(0, due)
				.mapToObj((i) -> OutboundMessage.to("reminders", Map.of("customer", i)).dueAt(at))
				.toList());
		}
		for (int i = 0; i < 120; i++) {
			this.queues.send("emails", Map.of("to", "user" + i + "@example.org", "password", "geheim"));
			this.queues.send("nobody-listens", Map.of("number", i));
		}
		for (int i = 0; i < 3; i++) {
			this.queues.send("exports", Map.of("pages", 400, "name", "export " + i));
		}
		this.admin.control().pause("emails");
		this.queues.send(OutboundMessage.to("payments", Map.of("note", "<script>alert('payload')</script>"))
			.id("<img src=x onerror=alert(1)>")
			.header("<b>bold</b>", "<script>alert('header')</script>"));
	}

	/**
	 * Some traffic.
	 */
	@Scheduled(fixedRate = 500)
	void send() {
		int n = this.sent.getAndIncrement();
		for (int i = 0; i < 5; i++) {
			this.queues.send(OutboundMessage.to("orders", Map.of("order", n * 5 + i, "customer", "c" + i))
				.id("order-" + (n * 5 + i))
				.header("channel", (i % 2 == 0) ? "web" : "shop"));
			this.queues.send("sms", Map.of("text", "Your order " + (n * 5 + i) + " is on its way"));
		}
		if (n % 4 == 0) {
			this.queues.send("reminders", Map.of("customer", n));
			this.queues.send("payments", Map.of("payment", n, "amount", 100 + n));
			this.queues.send("invoices", Map.of("customer", "c1", "invoice", n));
			this.queues.publish("order-events", Map.of("order", n));
		}
	}

	@QueueListener(queues = "orders", concurrency = "4")
	void order(Map<String, Object> order) {
		pause(20 + (Integer) order.get("order") % 50);
	}

	@QueueListener(queues = "payments", maxAttempts = "3", backoff = @Backoff(initialInterval = "500ms"))
	void payment(Map<String, Object> payment) {
		if (payment.get("payment") instanceof Integer number) {
			switch (number % 3) {
				case 0 -> throw new IllegalStateException("The bank does not answer: timeout after 5 s");
				case 1 -> throw new RejectMessageException("card " + number + " is expired");
				default -> {
				}
			}
			return;
		}
		throw new IllegalArgumentException("No payment: <script>alert('exception')</script>");
	}

	@QueueListener(queues = "emails")
	void email(Map<String, Object> email) {
	}

	@QueueListener(queues = "reminders", concurrency = "4")
	void remind(Map<String, Object> reminder) {
		pause(4000);
	}

	@QueueListener(queues = "sms", rateLimit = "5/1s")
	void sms(Map<String, Object> sms) {
	}

	@QueueListener(queues = "invoices", concurrency = "4")
	void invoice(Map<String, Object> invoice) {
		pause(6000);
	}

	@QueueListener(queues = "exports", concurrency = "2")
	void export(Map<String, Object> export, MessageDelivery delivery) {
		int pages = (Integer) export.get("pages");
		for (int page = 1; page <= pages && !delivery.cancellation().isCancelled(); page++) {
			delivery.progress((double) page / pages, "page " + page + " of " + pages);
			if (page % 10 == 0) {
				delivery.log("page " + page + " is written");
			}
			pause(1000);
		}
	}

	@QueueListener(topic = "order-events", group = "billing")
	void bill(Map<String, Object> event) {
	}

	@QueueListener(topic = "order-events", group = "audit")
	void audit(Map<String, Object> event) {
		pause(1000);
	}

	@RecurringMessage(name = "nightly", cron = "0 0 2 * * *", zone = "Europe/Berlin", maxRuns = "300", jitter = "10m")
	@QueueListener("reports")
	void report(RecurringState<Map<String, Object>> state) {
		this.locks.execute(LockSpec.of("report"), () -> List.of());
		state.set(Map.of("upTo", 7, "password", "opensesame"));
	}

	@RecurringMessage(name = "sweep", every = "10s")
	@QueueListener("sweeps")
	void sweep() {
		this.locks.execute(LockSpec.of("sweep"), () -> {
			pause(5000);
			return null;
		});
	}

	private static void pause(long millis) {
		try {
			NEVER.await(millis, TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
