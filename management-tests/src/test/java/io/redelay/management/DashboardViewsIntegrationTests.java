package io.redelay.management;

import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.browser.Browser;

import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Each view of the dashboard, with what an application has to show.
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
		await().until(() -> admin.info("payments").dead() > 0 && admin.info("exports").inFlight() > 0);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static List<String> views() {
		String payment = application.getBean(QueueAdmin.class)
			.browse("payments", MessageState.DEAD, 0, 1)
			.messages()
			.get(0)
			.uid();
		return List.of("/", "/queues/payments", "/queues/nobody-listens", "/queues/payments/messages",
				"/queues/payments/messages?state=DEAD", "/queues/payments/messages?state=DEAD&reason=FAILED",
				"/queues/payments/messages/" + payment, "/queues/payments/dead", "/queues/exports/running",
				"/instances", "/recurring", "/queues/reports/recurring", "/topics", "/topics/order-events", "/locks",
				"/queues/invoices/keys", "/queues/sms/keys", "/jobs", "/queues/payments/jobs");
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
