package io.redelay.console;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The overview of the console and the page of a source in a browser.
 */
class ConsolePageIntegrationTests {

	@RegisterExtension
	static final Browser browser = new Browser();

	private static RedisServer shop;

	private static Console console;

	@BeforeAll
	static void start() throws Exception {
		shop = RedisServer.start();
		StoppedApplication.leaveIn(shop);
		console = Console.start("shop.url=" + shop.uri(), "billing.url=redis://localhost:1");
		await().until(() -> console.isConnected("shop"));
	}

	@AfterAll
	static void stop() {
		console.close();
		shop.close();
	}

	@Test
	void theOverviewShowsEachSourceAndLeadsToItsPage() {
		browser.open(console.address(""));
		browser.see("tbody tr:nth-child(1)", "No answer");
		browser.see("tbody tr:nth-child(1)", "onnection refused");
		browser.see("tbody tr:nth-child(2)", "Answers");
		browser.see("tbody tr:nth-child(2) td:nth-child(3)", "stopped");
		browser.see(".lead", "2 sources: 1 without an answer, 1 with queues in trouble.");
		assertThat(browser.driver().getTitle()).isEqualTo("(2) Redelay console");
		assertThat(browser.barriers()).isEmpty();
		browser.prefersDark();
		assertThat(browser.barriersToTheEye()).isEmpty();
		browser.phone();
		assertThat(browser.barriersToTheEye()).isEmpty();
		assertThat(browser.complaints()).allMatch((line) -> line.contains("503"));
		browser.see("tbody tr:nth-child(2) th a").sendKeys(Keys.ENTER);
		browser.see("main h1", "Queues");
	}

	@Test
	void thePageOfASourceNamesItAndLeadsToTheOthers() {
		browser.open(console.address("shop/redelay#/dead"));
		browser.see("nav[aria-label=Sources] [aria-current]", "shop");
		browser.see("tbody tr", "payment-7");
		browser.until("the title names the source",
				() -> browser.driver().getTitle().endsWith("Dead letters · Redelay · shop"));
		assertThat(browser.all("main button")).as("buttons that act").isEmpty();
		assertThat(browser.barriers()).isEmpty();
		browser.click("nav[aria-label=Sources] a", "billing");
		browser.see(".part.bad", "Redis does not answer");
		browser.see("#trouble", "The Redis of the source 'billing' is not connected");
		assertThat(browser.driver().getCurrentUrl()).endsWith("/billing/redelay#/dead");
		browser.click("nav[aria-label=Sources] a", "All sources");
		browser.see("main h1", "Sources");
	}

}
