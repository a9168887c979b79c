package io.redelay.management;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The status bar of the dashboard, and the tab of the browser, with answers of the tests.
 */
class DashboardBarIntegrationTests {

	private static final String NO_TROUBLE = PageServer.resource("status.json")
		.replaceFirst("\"BEHIND\": 2, \"STOPPED\": 1}", "\"BEHIND\": 0, \"STOPPED\": 0}")
		.replaceFirst("\"warnings\": 1", "\"warnings\": 0");

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	@Test
	void eachViewShowsRedisTheInstancesAndAllQueues() {
		for (String view : new String[] { "/", "/queues/receipts", "/instances", "/nothing/of/this" }) {
			browser.open(this.server.url(view));
			browser.see(".part");
			assertThat(browser.texts(".part")).as(view)
				.satisfiesExactly((trouble) -> assertThat(trouble).isEqualTo("1 stopped, 2 behind, 1 warning"),
						(redis) -> assertThat(redis).isEqualTo("Redis answers, master, 12.4 MB of 2 GB"),
						(instances) -> assertThat(instances).isEqualTo("3 instances"),
						(flow) -> assertThat(flow).isEqualTo("In 1,240, out 1,180 a minute"),
						(scheduled) -> assertThat(scheduled).startsWith("12.8K scheduled, next in "),
						(dead) -> assertThat(dead).isEqualTo("40 dead"));
		}
	}

	@Test
	void itsPartsChooseTheQueuesOfTheListAndAllOfThemAgain() {
		this.server.answer("queues/receipts/dead", "{}");
		browser.open(this.server.url("/queues/receipts"));
		browser.click(".part", "40 dead");
		browser.see("main h1", "Queues");
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/?show=dead&sort=dead");
		browser.see(".chips", "Only queues with dead letters");
		assertThat(browser.texts(".part[aria-current=true]")).containsExactly("40 dead");
		browser.click(".part", "scheduled");
		browser.see(".chips", "Only queues with scheduled messages");
		browser.click(".part", "scheduled");
		browser.seeNo(".chips");
		assertThat(browser.all(".part[aria-current]")).isEmpty();
		browser.click(".part", "stopped");
		browser.see(".chips", "Only queues in trouble");
		browser.click(".chips .remove");
		browser.seeNo(".chips");
		assertThat(browser.driver().getCurrentUrl()).endsWith("#/");
	}

	@Test
	void theTabSaysWhetherThereIsTrouble() throws Exception {
		this.server.answer(PageServer.STATUS, NO_TROUBLE);
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/instances"));
			browser.see(".part.ok", "No trouble in 17 queues");
			await().untilAsserted(() -> assertThat(browser.driver().getTitle()).isEqualTo("Instances · Redelay"));
			assertThat(icon()).endsWith("/icon.svg");
			this.server.answer(PageServer.STATUS, NO_TROUBLE.replace("\"warnings\": 0", "\"warnings\": 2"));
			browser.see(".part.warn", "2 warnings");
			assertThat(browser.driver().getTitle()).isEqualTo("(2) Instances · Redelay");
			assertThat(icon()).endsWith("/icon-warn.svg");
			browser.see("#live", "2 queues in trouble.");
			this.server.answer(PageServer.STATUS,
					NO_TROUBLE.replace("\"warnings\": 0", "\"warnings\": 0, \"failed\": 1"));
			browser.see(".part.warn", "1 could not be read");
			assertThat(browser.driver().getTitle()).isEqualTo("(1) Instances · Redelay");
			this.server.answer(PageServer.STATUS, NO_TROUBLE.replace("\"STOPPED\": 0", "\"STOPPED\": 3"));
			browser.see(".part.bad", "3 stopped");
			assertThat(browser.driver().getTitle()).isEqualTo("(3) Instances · Redelay");
			assertThat(icon()).endsWith("/icon-bad.svg");
			assertThat(browser
				.script("""
						return fetch(document.querySelector('link[rel=icon]').href).then(({ ok, headers }) => ok && headers.get('content-type'));
						"""))
				.isEqualTo("image/svg+xml");
		}
	}

	@Test
	void aRedisThatDoesNotAnswerIsSaidInTheBarAndTheTab() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see(".part.ok", "Redis answers");
			this.server.answer(PageServer.STATUS,
					PageServer.resource("status.json").replace("\"answers\": true", "\"answers\": false"));
			browser.see(".status-bar.silent .part.bad", "Redis does not answer");
			browser.see(".part", "40 dead");
			assertThat(browser.driver().getTitle()).startsWith("(!) Queues");
			assertThat(icon()).endsWith("/icon-bad.svg");
			browser.see("#live", "does not answer");
			this.server.answer(PageServer.STATUS, 500, "application/json", "{}");
			browser.see(".part.bad", "The server does not answer");
			this.server.answer(PageServer.STATUS,
					PageServer.resource("status.json").replace("\"master\"", "\"slave\""));
			browser.see(".part.bad", "Redis is a replica and takes no writes");
			this.server.answer(PageServer.STATUS,
					PageServer.resource("status.json").replace("\"sound\": true", "\"sound\": false"));
			browser.see(".part.warn", "Redis answers, look at its health");
			browser.seeNo(".status-bar.silent");
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 401, 403, 404 })
	void aUserWhoMayNotReadQueuesHasNoBarAndNoAlarm(int refused) throws Exception {
		String no = "{\"status\": %d, \"message\": \"No.\"}".formatted(refused);
		this.server.answer(PageServer.STATUS, refused, "application/json", no);
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see("tbody tr");
			await().until(() -> this.server.askedForStatus() > 1);
			assertThat(browser.all(".part")).isEmpty();
			assertThat(browser.driver().getTitle()).isEqualTo("Queues · Redelay");
			assertThat(icon()).endsWith("/icon.svg");
			this.server.answer(PageServer.STATUS, PageServer.resource("status.json"));
			browser.see(".part", "40 dead");
			assertThat(browser.driver().getTitle()).isEqualTo("(4) Queues · Redelay");
			this.server.answer(PageServer.STATUS, refused, "application/json", no);
			browser.seeNo(".part");
			assertThat(browser.driver().getTitle()).as("what was known is not for this user")
				.isEqualTo("Queues · Redelay");
			assertThat(icon()).endsWith("/icon.svg");
		}
	}

	@Test
	void theBarAsksForNothingWhileThePageIsHiddenOrHeld() throws Exception {
		try (AutoCloseable fast = browser.fastTimers()) {
			browser.open(this.server.url("/"));
			browser.see(".part");
			await().until(() -> this.server.askedForStatus() > 2);
			browser.script("Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })");
			int hidden = settled();
			browser.script("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");
			await().until(() -> this.server.askedForStatus() > hidden + 2);
			browser.click("#pause");
			int held = settled();
			browser.click("#pause");
			await().until(() -> this.server.askedForStatus() > held + 2);
		}
	}

	/**
	 * Waits until nothing was asked for a second, in which the bar asks ten times, and
	 * returns how often was asked before.
	 */
	private int settled() {
		AtomicInteger before = new AtomicInteger(-1);
		await().pollInterval(Duration.ofSeconds(1)).until(() -> {
			int now = this.server.askedForStatus();
			return before.getAndSet(now) == now;
		});
		return before.get();
	}

	private static String icon() {
		return (String) browser.script("return document.querySelector('link[rel=icon]').href");
	}

}
