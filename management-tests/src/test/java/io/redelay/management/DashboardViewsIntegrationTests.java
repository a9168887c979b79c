package io.redelay.management;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueLimit;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openqa.selenium.WebElement;
import org.redisson.api.RList;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Each view of the dashboard, with what an application has to show, and what is done on
 * the page of it.
 */
class DashboardViewsIntegrationTests {

	@RegisterExtension
	static final Browser browser = new Browser();

	private static ConfigurableApplicationContext application;

	private static String page;

	@BeforeAll
	static void start() {
		application = DashboardApplication.application()
			.run("--server.port=0", "--logging.level.io.redelay=off", "--spring.main.banner-mode=off");
		page = "http://localhost:" + ((WebServerApplicationContext) application).getWebServer().getPort()
				+ "/actuator/redelay#";
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		await()
			.until(() -> admin.queues().info("payments").dead() > 0 && admin.queues().info("exports").inFlight() > 0);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static List<String> views() {
		String payment = application.getBean(QueueAdmin.class)
			.messages()
			.browse("payments", MessageState.DEAD, 0, 1)
			.messages()
			.get(0)
			.uid();
		return List.of("/", "/dead", "/search?q=timeout", "/queues/payments", "/queues/nobody-listens",
				"/queues/payments?span=DAY", "/queues/payments?span=MONTH", "/queues/payments/messages",
				"/queues/payments/messages?state=DEAD", "/queues/payments/messages?state=DEAD&reason=FAILED",
				"/queues/scheduled-only/calendar", "/queues/reminders/calendar?span=WEEK",
				"/queues/scheduled-only/calendar?span=MONTH", "/queues/payments/messages/" + payment,
				"/queues/payments/dead", "/queues/exports/running", "/running", "/instances", "/recurring",
				"/queues/reports/recurring", "/topics", "/topics/order-events", "/locks", "/queues/invoices/keys",
				"/queues/sms/keys", "/jobs", "/queues/payments/jobs");
	}

	@Test
	void chartsAreDrawnUnderAStrictPolicy() throws Exception {
		HttpResponse<Void> response = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(URI.create(page.replace("#", ""))).build(), BodyHandlers.discarding());
		assertThat(response.headers().firstValue("Content-Security-Policy").orElse(""))
			.contains("default-src 'none'", "script-src 'self'")
			.doesNotContain("unsafe");
		browser.open(page + "/queues/orders");
		browser.see(".plot canvas");
		browser.until("something is drawn", () -> Boolean.TRUE.equals(browser
			.script("""
					return Array.from(document.querySelectorAll('.plot canvas')).some(canvas =>
					  canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0));
					""")));
		assertThat(browser.complaints()).isEmpty();
		browser.script("""
				try {
				  document.body.appendChild(document.createElement('script')).textContent = 'window.hacked = 1';
				} catch (refused) {
				  // logged by the console
				}
				""");
		assertThat(browser.script("return window.hacked")).isNull();
		assertThat(browser.complaints()).as("the policy holds").isNotEmpty();
	}

	@Test
	void theFirstPaintWaitsForNoData() {
		// What the page asks for stays without an answer.
		browser.command("Fetch.enable", Map.of("patterns", List.of(Map.of("urlPattern", "*/actuator/queues*"))));
		try {
			browser.open(page + "/");
			browser.until("something is painted", () -> Boolean.TRUE
				.equals(browser.script("return performance.getEntriesByName('first-contentful-paint').length > 0")));
			assertThat(browser.all("tbody tr")).isEmpty();
		}
		finally {
			browser.command("Fetch.disable", Map.of());
		}
		browser.see("tbody tr");
	}

	@Test
	void aQueueShowsHowManyEntriesWaitInItsInletAndThatNoInstanceTakesThem() {
		RList<String> inlet = application.getBean(RedissonClient.class)
			.getList("redelay:inlet:{scheduled-only}", StringCodec.INSTANCE);
		try {
			browser.open(page + "/queues/scheduled-only");
			browser.see("main", "500");
			assertThat(browser.all("dt")).isNotEmpty();
			inlet.addAll(List.of("{\"payload\": 1}", "{\"payload\": 2}"));
			browser.open(page + "/queues");
			browser.open(page + "/queues/scheduled-only");
			browser.see("main", "In the inlet");
			browser.see("main", "2 entries wait in the inlet, and no instance takes them");
		}
		finally {
			inlet.delete();
		}
	}

	@Test
	void aRecurringMessageIsRunPausedAndResumed() {
		RecurringMessages recurring = application.getBean(RecurringMessages.class);
		browser.open(page + "/recurring");
		browser.see("tbody tr", "by dashboard-1");
		browser.click("button[aria-label='Run now nightly']");
		browser.see("#live", "nightly runs.");
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		await().until(
				() -> admin.queues().history("reports").minutes().stream().mapToLong(QueueMinute::handled).sum() > 0);
		browser.open(page + "/queues/reports/recurring");
		browser.see("tbody tr", "300 runs left of 300; up to 10 min later");
		browser.click("tbody td:nth-child(5) summary");
		assertThat(browser.all("pre[aria-label='State of nightly']").toString()).doesNotContain("opensesame");
		browser.see("pre[aria-label='State of nightly']", "upTo");
		browser.click("button[aria-label='Pause nightly']");
		browser.see("#live", "nightly is paused.");
		assertThat(recurring.find("reports", "nightly").orElseThrow().paused()).isTrue();
		browser.click("button[aria-label='Resume nightly']");
		browser.see("#live", "nightly goes on.");
		browser.see("button[aria-label='Pause nightly']");
		assertThat(recurring.find("reports", "nightly").orElseThrow().paused()).isFalse();
	}

	@Test
	void aTopicIsReplayedToAGroupAndDeleted() {
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		application.getBean(QueueOperations.class).publish("order-events", Map.of("order", 1));
		browser.open(page + "/topics/order-events");
		browser.see("main table", "only test does not exist");
		browser.click("button[aria-label='Replay to audit']");
		browser.script("document.getElementById('dialog-since').value = '2026-01-01T00:00'");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "replayed to audit");
		application.getBean(QueueOperations.class).publish("rare-events", "x");
		browser.open(page + "/topics/rare-events");
		browser.click("main button", "Delete topic");
		browser.see("#dialog-typed").sendKeys("rare-events");
		browser.click("dialog[open] button.danger");
		browser.see("main h1", "Topics");
		assertThat(admin.topics().names()).contains("order-events").doesNotContain("rare-events");
	}

	@Test
	void aBarOfTheCalendarIsOpenedAndSpread() {
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		Instant due = Instant.now().plus(Duration.ofDays(12)).truncatedTo(ChronoUnit.DAYS).plus(Duration.ofHours(11));
		for (int i = 0; i < 40; i++) {
			application.getBean(QueueOperations.class)
				.send(OutboundMessage.to("month-end", Map.of("number", i)).dueAt(due));
		}
		browser.open(page + "/queues/month-end");
		browser.click(".tabs a", "Calendar");
		browser.see(".calendar", "Nothing is due in the next day.");
		browser.click(".choices a", "Next month");
		browser.see(".calendar .lead", "40 of 40 scheduled messages");
		assertThat(browser.all("a.bar").size()).isBetween(28, 33);
		browser.click("a.bar[aria-label*=': 40 due']");
		browser.see("section[aria-labelledby='bar-title']", "Begins");
		browser.click("section[aria-labelledby='bar-title'] a.button", "Show the messages");
		browser.see(".found", "40 messages found");
		browser.driver().navigate().back();
		browser.click("section[aria-labelledby='bar-title'] button", "Spread");
		browser.see("dialog[open]", "Spread 40 messages?");
		browser.see("dialog[open]", "How fast handlers are is not known.");
		assertThat(browser.script("return document.getElementById('dialog-perSecond').value")).isEqualTo("100");
		browser.script("document.getElementById('dialog-spread').value = '3h'");
		browser.see("#dialog-typed").sendKeys("month-end");
		browser.click("dialog[open] button.primary");
		browser.see(".job", "over 3 h");
		browser.see(".job", "Done");
		browser.see(".job", "40 messages done");
		assertThat(admin.messages()
			.browse("month-end", MessageState.SCHEDULED, 0, 100)
			.messages()
			.stream()
			.map(QueuedMessage::dueAt)
			.distinct()
			.count()).isGreaterThan(35);
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void aMessageThatWaitsIsChanged() {
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		String uid = application.getBean(QueueOperations.class)
			.send("scheduled-only", Map.of("number", 7), Duration.ofDays(1))
			.id();
		browser.open(page + "/queues/scheduled-only/messages/" + uid);
		browser.click(".head-actions button", "Change");
		WebElement payload = browser.see("dialog[open] textarea");
		payload.clear();
		payload.sendKeys("{\"number\": ");
		browser.click("dialog[open] button.primary");
		browser.see(".toast.failed", "payload");
		assertThat(admin.messages().find("scheduled-only", uid).orElseThrow().payloadAsText())
			.isEqualTo("{\"number\":7}");
		browser.click(".head-actions button", "Change");
		payload = browser.see("dialog[open] textarea");
		payload.clear();
		payload.sendKeys("{\"number\": 8}");
		WebElement failures = browser.see("#dialog-failures");
		failures.clear();
		failures.sendKeys("2");
		browser.see("#dialog-priority").sendKeys("4");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "is changed");
		browser.see("pre.payload", "\"number\": 8");
		assertThat(admin.messages().find("scheduled-only", uid).orElseThrow().payloadAsText())
			.isEqualTo("{\"number\": 8}");
		assertThat(admin.messages().find("scheduled-only", uid).orElseThrow().priority()).isEqualTo(4);
		assertThat(admin.messages().find("scheduled-only", uid).orElseThrow().failures()).isEqualTo(2);
	}

	@Test
	void instancesTakeNoMessagesOfAPausedQueue() {
		browser.open(page + "/instances");
		browser.see("tbody tr", "Queue is paused");
		assertThat(browser.texts("tbody tr").stream().filter((row) -> row.contains("Queue is paused"))).singleElement()
			.asString()
			.contains("emails");
		browser.see("tbody tr", "Takes messages");
		browser.open(page + "/queues/emails");
		browser.see("section[aria-labelledby='s-consumers'] tbody", "Queue is paused");
	}

	@Test
	void theLimitsOfAQueueAreShownAndChanged() {
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		application.getBean(QueueOperations.class).send("scheduled-only", "x", Duration.ofDays(1));
		browser.open(page + "/queues/scheduled-only");
		browser.see("section[aria-labelledby='s-limits']", "Nothing limits it.");
		browser.click("main button", "Change limits");
		browser.see("#dialog-rateLimit").sendKeys("often");
		browser.click("dialog[open] button.primary");
		browser.see(".toast.failed", "rateLimit");
		browser.click("main button", "Change limits");
		browser.see("#dialog-rateLimit").sendKeys("100/1s");
		browser.see("#dialog-maxInFlight").sendKeys("20");
		browser.click("dialog[open] button.primary");
		browser.see("#live", "limits of scheduled-only are changed");
		browser.see("section[aria-labelledby='s-limits']", "100/1s");
		browser.see("section[aria-labelledby='s-limits']", "Set at run time");
		assertThat(admin.limits().of("scheduled-only").of(QueueLimit.MAX_IN_FLIGHT).set()).isEqualTo("20");
		browser.click("main button", "Change limits");
		browser.see("#dialog-rateLimit").clear();
		browser.see("#dialog-maxInFlight").clear();
		browser.click("dialog[open] button.primary");
		browser.see("section[aria-labelledby='s-limits']", "Nothing limits it.");
		assertThat(admin.limits().of("scheduled-only").changedAt()).isNull();
	}

	/**
	 * All views and questions in one page, which remembers what it had no text for.
	 */
	@Test
	void aReaderOfChineseIsShownNoEnglish() {
		browser.open(page.replace("#", "?lang=zh#/"));
		assertThat(browser.read("#nav")).contains("队列", "死信").doesNotContain("Queues");
		browser.see("tbody tr");
		assertThat(browser.barriers()).as("what axe-core finds").isEmpty();
		for (String view : views()) {
			show(view);
			openQuestions();
		}
		show("/queues/sms");
		browser.see(".verdict", "速率限制只允许每秒 5 条");
		assertThat(browser.barriers()).as("what axe-core finds").isEmpty();
		assertThat(browser.script("return document.documentElement.lang")).isEqualTo("zh-CN");
		assertThat(browser.driver().getTitle()).endsWith("sms · Redelay");
		browser.script("document.getElementById('keys').click()");
		assertThat(browser.read("dialog[open]")).contains("快捷键", "查看死信");
		assertThat(browser.complaints()).isEmpty();
		assertThat(browser.driver().executeAsyncScript("""
				const [done] = arguments;
				import('./redelay/language.js').then(({ missing }) =>
				  done([...missing].map(text => `  '${text.replaceAll("'", "\\\\'")}': '',`).sort().join('\\n')),
				  failure => done(String(failure)));
				""")).as("what texts.zh.js has no text for").isEqualTo("");
	}

	/**
	 * Shows a view without loading the page anew.
	 */
	private static void show(String view) {
		browser.driver().executeAsyncScript("""
				const [view, done] = arguments;
				const main = document.querySelector('main');
				const go = (hash, then) => {
				  const look = () => (main.hasAttribute('aria-busy') ? setTimeout(look, 10) : then());
				  window.addEventListener('hashchange', look, { once: true });
				  location.hash = hash;
				};
				go('#/nowhere', () => go(`#${view}`, done));
				""", view);
	}

	/**
	 * Opens each question of a view, and answers none.
	 */
	private static void openQuestions() {
		browser.driver()
			.executeAsyncScript(
					"""
							const [done] = arguments;
							[...document.querySelectorAll('main .tick')].slice(0, 2).forEach(box => box.click());
							const atOnce = /^(立即执行|暂停|恢复) /;
							const asking = () => [...document.querySelectorAll('main button')].filter(button => /…$/.test(button.textContent)
							  || button.matches('.head-actions button, td.act button') && !atOnce.test(button.getAttribute('aria-label')));
							const asked = new Set();
							const next = () => {
							  const button = asking().find(each => !asked.has(each.textContent));
							  if (!button) {
							    done();
							    return;
							  }
							  asked.add(button.textContent);
							  button.click();
							  const look = () => {
							    const dialog = document.querySelector('dialog[open]');
							    if (dialog) {
							      dialog.addEventListener('close', () => setTimeout(next), { once: true });
							      dialog.close();
							    } else {
							      setTimeout(look, 10);
							    }
							  };
							  look();
							};
							next();
							""");
	}

	@Test
	void theLanguageIsThatOfTheReaderAndTheChoiceIsKept() {
		String agent = String.valueOf(browser.script("return navigator.userAgent"));
		prefers(agent, "zh-TW,zh,en");
		try {
			browser.open(page + "/locks");
			browser.see("main h1", "锁");
			browser.click("#language", "English");
			browser.see("main h1", "Locks");
			browser.open(page + "/topics");
			browser.see("main h1", "Topics");
			assertThat(browser.script("return document.documentElement.lang")).isEqualTo("en");
			browser.click("#language", "中文");
			browser.see("main h1", "主题");
			prefers(agent, "en-US,en");
			browser.open(page + "/topics");
			browser.see("main h1", "主题");
		}
		finally {
			prefers(agent, "en-US,en");
		}
	}

	private static void prefers(String agent, String languages) {
		browser.command("Emulation.setUserAgentOverride", Map.of("userAgent", agent, "acceptLanguage", languages));
	}

	@ParameterizedTest
	@MethodSource("views")
	void viewIsForAllReadersAndScreens(String view) {
		browser.open(page + view);
		browser.see("main:not([aria-busy]) h1");
		assertThat(browser.complaints()).as("what the console says").isEmpty();
		assertThat(browser.barriers()).as("what axe-core finds in the light theme").isEmpty();
		browser.prefersDark();
		browser.phone();
		assertThat(browser.barriersToTheEye()).as("what axe-core finds in the dark theme on a phone").isEmpty();
		assertThat(browser.script("return document.documentElement.scrollWidth")).as("width on a phone")
			.isEqualTo(360L);
	}

}
