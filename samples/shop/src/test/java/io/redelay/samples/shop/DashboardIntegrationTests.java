package io.redelay.samples.shop;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.listener.ListenerInfo;
import io.redelay.queue.listener.QueueListeners;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an operator sees on the page of the queues, and does there, while the shop runs.
 */
class DashboardIntegrationTests extends DashboardTest {

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueListeners listeners;

	@Autowired
	private JdbcClient database;

	@Test
	@Tag("full")
	void chartsMoveWhileOrdersFlow() {
		open("viewer", "#/queues/order-events");
		browser.see("main h1", "order-events");
		browser.see(".plot canvas");
		double before = handledOnAverage();
		Object drawn = drawing();
		// The page asks every five seconds; nobody loads it again. Orders go on, as a few
		// may vanish in the rounding.
		browser.until("the chart has moved", () -> {
			this.shop.pay(this.shop.placeOrder(Duration.ofMinutes(5), "flow@example.com"));
			return handledOnAverage() > before && !drawing().equals(drawn);
		});
		assertThat(complaintsOfThePage()).isEmpty();
	}

	/**
	 * How many messages were handled a minute, as the first chart says to those who do
	 * not see it. The 60 minutes begin when nothing was there, so it only grows.
	 */
	private static double handledOnAverage() {
		String reported = String.valueOf(browser.see(".plot").getAttribute("aria-label"));
		Matcher handled = Pattern.compile("Handled: .*? now, ([0-9.]+) on average").matcher(reported);
		return handled.find() ? Double.parseDouble(handled.group(1)) : 0;
	}

	/**
	 * Without those of the form to sign in, and the answers that a message has gone.
	 */
	private static List<String> complaintsOfThePage() {
		return browser.complaints()
			.stream()
			.filter((text) -> !text.contains("/login") && !text.contains("status of 404"))
			.toList();
	}

	private static Object drawing() {
		return browser.script("return document.querySelector('.plot canvas').toDataURL()");
	}

	@Test
	void aDeadLetterIsFoundByItsCauseAndRedriven() {
		String hostile = "<script>hacked=1</script>";
		this.database.sql("delete from receipt where order_id = ?").param(hostile).update();
		this.database
			.sql("insert into receipt (order_id, email, status, failures, created_at) values (?, ?, 'PENDING', 0, ?)")
			.params(hostile, "ann@nowhere.invalid", Instant.now().plusSeconds(3600).toString())
			.update();
		this.queues.send(OutboundMessage.to("receipts", Map.of("orderId", hostile)).id(hostile));

		// The cause may be there already, from another test, and what is found then stays
		// as it is.
		eventually(() -> assertThat(this.database.sql("select status from receipt where order_id = ?")
			.param(hostile)
			.query(String.class)
			.single()).isEqualTo("DEAD"));
		open("operator", "#/queues/receipts/dead");
		clickAt(".cause", "NoSuchMailHostException", By.linkText("Show messages"));
		browser.click("tbody th a", hostile);
		browser.see("main h1", hostile);
		assertThat(browser.read("pre.payload")).contains("\"orderId\": \"" + hostile + "\"");
		assertThat(browser.read(".timeline")).contains("Sent", "Failed", "Died", "NoSuchMailHostException");
		assertThat(browser.script("return window.hacked")).isNull();
		assertThat(browser.script("return document.querySelectorAll('main script').length")).isEqualTo(0L);

		this.database.sql("update receipt set email = 'ann@example.com' where order_id = ?").param(hostile).update();
		browser.click(".head-actions button", "Redrive");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "lives again");
		browser.see(".badge", "Gone");
		eventually(() -> assertThat(this.database.sql("select status from receipt where order_id = ?")
			.param(hostile)
			.query(String.class)
			.single()).isEqualTo("SENT"));
		browser
			.open(url("/actuator/redelay#/queues/receipts/messages?state=DEAD&id=%3Cscript%3Ehacked=1%3C/script%3E"));
		browser.see(".found", "0 messages found");
		assertThat(complaintsOfThePage()).isEmpty();
	}

	/**
	 * Clicks what belongs to an element with a text. A refresh may replace it meanwhile.
	 */
	private static void clickAt(String selector, String text, By what) {
		browser.until("a click at " + selector, () -> {
			browser.see(selector, text).findElement(what).click();
			return true;
		});
	}

	@Test
	@Tag("full")
	void deadLettersOfACauseAreRedrivenByOneClick() {
		List<String> orders = new ArrayList<>();
		String email = UUID.randomUUID() + "@nowhere.invalid";
		for (int i = 0; i < 3; i++) {
			String order = this.shop.placeOrder(Duration.ofMinutes(5), email);
			this.shop.pay(order);
			orders.add(order);
		}
		for (String order : orders) {
			eventually(() -> assertThat(this.shop.receipt(order).status()).isEqualTo("DEAD"));
			this.shop.correctReceipt(order, "bob@example.com");
		}
		open("operator", "#/queues/receipts/dead");
		clickAt(".cause", "NoSuchMailHostException", By.cssSelector("button.primary"));
		browser.see(".job", "Done");
		for (String order : orders) {
			eventually(() -> assertThat(this.shop.receipt(order).status()).isEqualTo("SENT"));
		}
	}

	@Test
	@Tag("full")
	void aRunningExportIsStopped() {
		for (int i = 0; i < 120; i++) {
			this.shop.placeOrder(Duration.ofMinutes(5), "export@example.com");
		}
		// The export takes two minutes, of which a slow browser would need a part to sign
		// in.
		open("operator", "#/queues/order-exports/running");
		String export = this.shop.startExport();
		browser.until("the export reports its progress",
				() -> browser.see("tbody tr", export).getText().matches("(?s).*[1-9]\\d* of \\d+ orders.*"));
		clickAt("tbody tr", export, By.cssSelector("button"));
		browser.click("dialog[open] button.danger", "Stop");
		browser.see("#live", "is asked to stop");
		browser.until("the export does not run any more",
				() -> browser.texts("tbody tr").stream().noneMatch((running) -> running.contains(export)));
		eventually(() -> assertThat(this.shop.export(export).status()).isEqualTo("CANCELLED"));
	}

	@Test
	void aQueueWhoseConsumerWasStoppedSaysSo() throws Exception {
		String listener = this.listeners.list()
			.stream()
			.filter((info) -> info.queues().contains("prices"))
			.map(ListenerInfo::id)
			.findFirst()
			.orElseThrow();
		this.listeners.stop(listener).get();
		try {
			this.queues.send("prices", Map.of("text", "pen,1.50"));
			open("viewer", "#/queues/prices");
			browser.see(".diagnosis .kind", "Listener stopped");
			browser.see(".diagnosis", listener);
			browser.see(".diagnosis", "1 message");
			browser.open(url("/actuator/redelay#/"));
			browser.see("tbody tr .badge", "Stopped");
		}
		finally {
			this.listeners.start(listener);
		}
	}

	@Test
	@Tag("full")
	void aQueueThatIsLimitedSaysSo() {
		open("viewer", "#/queues/payment-webhooks");
		String merchant = UUID.randomUUID().toString();
		this.queues.sendAll(Stream
			.generate(() -> Map.of("id", UUID.randomUUID().toString(), "merchant", merchant, "amount", BigDecimal.ONE))
			.limit(600)
			.map((payment) -> OutboundMessage.to("payment-webhooks", payment))
			.toList());
		browser.see(".diagnosis .kind", "Rate limited");
		browser.see(".findings", "the listener's 'keyRateLimit' 10/");
		browser.see(".findings", "Raise 'keyRateLimit'");
	}

	@Test
	@Tag("full")
	void aQueueWhoseHandlerFailsNamesTheTopCause() {
		// What failed is reported for a minute. A slow browser takes a good part of it to
		// sign in.
		open("viewer", "#/queues/receipts");
		for (int i = 0; i < 10; i++) {
			this.shop.pay(this.shop.placeOrder(Duration.ofMinutes(5), "fails@nowhere.invalid"));
		}
		browser.see(".diagnosis .kind", "Failing");
		browser.see(".findings", "NoSuchMailHostException");
		browser.see(".findings", "attempts failed lately");
	}

	@Test
	void aViewerHasNoButtons() {
		open("viewer", "#/");
		for (String view : List.of("", "queues/receipts", "queues/receipts/messages?state=DEAD", "queues/receipts/dead",
				"queues/order-exports/running", "recurring", "jobs")) {
			browser.open(url("/actuator/redelay#/" + view));
			browser.see("main:not([aria-busy]) h1");
			assertThat(browser.texts("#trouble")).as(view).containsExactly("");
			assertThat(browser.texts("main button")).as(view).isSubsetOf("Search");
		}
	}

}
