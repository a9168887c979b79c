package io.redelay.management;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.test.browser.Browser;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All views with text from outside that turns the direction of what follows it: each such
 * text is rendered, and stands in an element that isolates it. A word in guillemets is
 * such a text.
 */
class OutsideTextIntegrationTests {

	private static final Pattern WORD = Pattern.compile("«(\\w+)»");

	private static final String KNOWN = "Loading…";

	/**
	 * Those that the server says in its own words.
	 */
	private static final Set<String> OF_SERVER = Set.of("headline", "headline2", "finding", "finding2", "mend", "mend2",
			"summary", "jobFailure", "schedule", "provider", "reason");

	private static final String TIME = "\"time\": \"2026-01-01T10:00:00Z\"";

	private static final String PAGE = TIME + ", \"total\": 1, \"page\": 0, \"size\": 50, \"hasNext\": false";

	private static final String COUNTS = """
			"counts": {"scheduled": 0, "ready": 1, "inFlight": 1, "dead": 1, "completed": 0, "paused": false, "closed": false}""";

	private static final String MESSAGE = """
			"id": "«id»", "uid": "«uid»", "queue": "«queue»", "sentAt": "2026-01-01T10:00:00Z", "dueAt": "2026-01-01T10:00:00Z", "failures": 1,
			"crashes": 0, "bytes": 9, "payloadType": "«type»", "tags": ["«tag»"], "orderingKey": "«orderingKey»", "fairnessKey": "«fairnessKey»\"""";

	private static final String DEATH = """
			"diedAt": "2026-01-01T10:01:00Z", "death": {"at": "2026-01-01T10:01:00Z", "instance": "«deathInstance»", "listener": "«deathListener»",
			 "reason": "FAILED", "exception": "«deathException»", "message": "«deathMessage»"}""";

	private static final String FINDINGS = """
			"findings": [{"kind": "LOCKED", "severity": "WARNING", "headline": "«headline»", "text": "«finding»", "mend": "«mend»", "figures":
			 {"locks": ["«lockFigure»"], "topCause": "«topCause»"}},
			 {"kind": "OTHER_QUEUE_BUSY", "severity": "INFO", "headline": "«headline2»", "text": "«finding2»", "mend": "«mend2»",
			  "figures": {"queues": ["«otherQueue»"]}}]""";

	private static final String JOB = """
			{"id": "j1", "queue": "«jobQueue»", "action": "REDRIVE", "state": "FAILED", "seen": 4, "matched": 2, "done": 1, "refused": 0,
			 "startedAt": "2026-01-01T10:00:00Z", "startedBy": "«startedBy»", "failure": "«jobFailure»", "filter": {"states": ["DEAD"],
			 "exception": "«jobException»", "headers": {"«jobHeader»": "«jobHeaderValue»"}}}""";

	private static final String RECURRING = "{" + PAGE
			+ """
					, "recurring": [{"queue": "«queue»", "name": "«recurring»", "schedule": "«schedule»", "nextRuns": ["2036-01-01T10:00:00Z"], "running": [],
					 "missed": "SKIP", "overlap": "SKIP", "declaredBy": "i1", "declaredByName": "«declaredBy»", "state": "«kept»",
					 "limits": {"from": "2026-01-01T10:00:00Z", "until": "2036-01-01T10:00:00Z"}}]}""";

	@RegisterExtension
	static final Browser browser = new Browser();

	@RegisterExtension
	final PageServer server = new PageServer();

	@BeforeEach
	void answer() {
		answers().forEach((path, json) -> this.server.answer(hostile(path), hostile(json)));
	}

	private static Map<String, String> answers() {
		Map<String, String> answers = new LinkedHashMap<>();
		answers.put("queues", "{" + PAGE
				+ """
						, "states": {"BEHIND": 1}, "warnings": 0, "queues": [{"queue": "«queue»", "scheduled": 0, "ready": 1, "inFlight": 0, "dead": 0,
						 "status": "BEHIND", "kind": "LOCKED", "headline": "«summary»", "summary": "«summary»"}]}""");
		answers.put("queues/«queue»",
				"{" + TIME + ", \"queue\": \"«queue»\", " + COUNTS
						+ """
								, "settings": [{"listener": "«listener»", "backoff": "«backoff»", "deadLetterQueue": "«deadLetterQueue»"}],
								"limits": {"limits": [{"limit": "rateLimit", "origin": "SET", "set": "1/1s", "inForce": ["«inForce»"], "declared":
								 [{"value": "«declared»", "by": ["«declarer»"]}]}], "changedAt": "2026-01-01T10:00:00Z", "changedBy": "«changedBy»"},
								"consumers": [{"instance": "a", "name": "«instance»", "listeners": ["«listenerId»"], "alive": true, "state": "RUNNING"}],
								"redrive": {"cron": "«cron»", "zone": "«zone»", "rounds": 1, "perSecond": 1, "active": true},
								"bundles": [{"id": "«bundle»", "open": true}],
								"diagnosis": {"queue": "«queue»", "behind": true, "summary": "«summary»", "figures": {},"""
						+ FINDINGS + "}}");
		answers.put("queues/«queue»/messages", "{" + PAGE + ", \"messages\": [{" + MESSAGE + """
				, "state": "IN_FLIGHT", "instanceName": "«instance»", "progress": {"percent": 5, "text": "«progress»"},
				"lastFailure": {"exception": "«lastException»", "message": "«lastMessage»"}}, {"""
				+ MESSAGE.replace("«uid»", "u2") + ", \"state\": \"DEAD\", " + DEATH + "}]}");
		answers.put("queues/«queue»/messages/dead", "{" + MESSAGE + ", \"state\": \"DEAD\", " + DEATH
				+ """
						, "contentType": "«contentType»", "payload": "«payload»", "headers": {"«header»": "«headerValue»"}, "result": "«result»",
						"work": {"checkpoint": "«checkpoint»"}, "forwardedTo": "«forwardedTo»", "attempts": [{"at": "2026-01-01T10:00:30Z",
						 "instance": "«attemptInstance»", "listener": "«attemptListener»", "exception": "«attemptException»", "message": "«attemptMessage»",
						 "stackTrace": "«stackTrace»"}], "timeline": [{"time": "2026-01-01T10:00:00Z", "what": "sent", "detail": "«detail»"},
						 {"time": "2026-01-01T10:00:01Z", "what": "log", "detail": "«line»"}]}""");
		answers.put("queues/«queue»/messages/running", "{" + MESSAGE
				+ """
						, "state": "IN_FLIGHT", "instanceName": "«instance»", "progress": {"percent": 5, "text": "«progress»"}, "masked": true,
						"contentType": "«contentType»"}""");
		answers.put("queues/«queue»/messages/ready", "{" + MESSAGE + ", \"state\": \"READY\", \"payload\": \"x\"}");
		answers.put("queues/«queue»/causes", "{" + TIME
				+ """
						, "causes": [{"reason": "REJECTED", "exception": "«deathException»", "message": "«deathMessage»", "count": 12},
						 {"reason": "«reason»", "count": 1}], "redrive": {"cron": "«cron»", "zone": "«zone»", "rounds": 1, "perSecond": 1, "active": true}}""");
		answers.put("queues/«queue»/running", "{" + PAGE + ", \"messages\": [{" + MESSAGE
				+ """
						, "state": "IN_FLIGHT", "instanceName": "«instance»", "progress": {"percent": 5, "text": "«progress»"}}]}""");
		answers.put("queues/«queue»/diagnosis", "{" + FINDINGS + "}");
		answers.put("queues/«queue»/keys", "{" + TIME
				+ """
						, "complete": true, "ordering": [{"key": "«orderingKey»", "waiting": 1, "uid": "u1", "instance": "i1", "instanceName": "«instance»"}],
						"fairness": [{"key": "«fairnessKey»", "waiting": 1, "inFlight": 0}], "limits":
						 [{"name": "sharedLimit «sharedLimit»", "kind": "RATE", "permits": 1, "periodMillis": 1000}]}""");
		answers.put("queues/«queue»/recurring", RECURRING);
		answers.put("queues/-/recurring", RECURRING);
		answers.put("queues/«queue»/jobs", "{" + PAGE + ", \"jobs\": [" + JOB + "]}");
		answers.put("queues/-/jobs", "{" + PAGE + ", \"jobs\": [" + JOB + "]}");
		answers.put("queues/-/instances", "{" + PAGE
				+ """
						, "instances": [{"id": "i1", "name": "«instance»", "startedAt": "2026-01-01T09:00:00Z", "announcedAt": "2026-01-01T10:00:00Z",
						 "listeners": [{"id": "«listenerId»", "state": "RUNNING", "queues": [{"queue": "«queue»"}]}]}]}""");
		answers.put("queues/-/topics", "{" + PAGE + ", \"topics\": [{\"name\": \"«topic»\", \"groups\": 1}]}");
		answers.put("queues/-/topics/«topic»", "{" + TIME
				+ """
						, "retains": true, "groups": [{"name": "«group»", "queue": "q", "filter": "«filter»", "state": "ACTIVE", "ready": 1, "scheduled": 0,
						 "dead": 0}]}""");
		answers.put("locks", "{" + PAGE
				+ """
						, "locks": [{"name": "«lock»", "type": "«provider»", "held": 1, "awaited": 1, "holders": [{"name": "«holder»", "thread":
						 "«holderThread»", "since": "2026-01-01T09:59:00Z"}], "waiters": [{"name": "«waiter»", "thread": "«waiterThread»"}]}]}""");
		return answers;
	}

	/** The address of a view, and which answers it shows. */
	private static List<List<String>> views() {
		return List.of(List.of("/", "queues"), List.of("/?name=«sought»", "queues"),
				List.of("/queues/«queue»", "queues/«queue»"),
				List.of("/queues/«queue»/messages?state=READY", "queues/«queue»/messages", "orderingKey id"),
				List.of("/queues/«queue»/messages?state=IN_FLIGHT", "queues/«queue»/messages",
						"instance progress lastException"),
				List.of("/queues/«queue»/messages?state=DEAD", "queues/«queue»/messages",
						"deathException deathMessage tag type"),
				List.of("/queues/«queue»/messages?tag=«soughtTag»", "queues/«queue»/messages", "soughtTag id"),
				List.of("/queues/«queue»/messages/dead", "queues/«queue»/messages/dead"),
				List.of("/queues/«queue»/messages/running", "queues/«queue»/messages/running"),
				List.of("/queues/«queue»/dead", "queues/«queue»/causes"),
				List.of("/queues/«queue»/running", "queues/«queue»/running", "id type tag instance progress"),
				List.of("/queues/«queue»/keys", "queues/«queue»/keys",
						"orderingKey fairnessKey instance sharedLimit headline finding mend"),
				List.of("/queues/«queue»/recurring", "queues/«queue»/recurring"),
				List.of("/recurring", "queues/-/recurring"),
				List.of("/queues/«queue»/jobs", "queues/«queue»/jobs",
						"startedBy jobFailure jobException jobHeader jobHeaderValue"),
				List.of("/jobs", "queues/-/jobs"), List.of("/instances", "queues/-/instances"),
				List.of("/topics", "queues/-/topics"), List.of("/topics/«topic»", "queues/-/topics/«topic»"),
				List.of("/locks", "locks"), List.of("/locks?name=«sought»", "locks", "lock"));
	}

	@Test
	void isIsolatedWhereverItIsShown() {
		for (List<String> view : views()) {
			open(view.get(0));
			browser.see("main:not([aria-busy]) h1");
			browser.script("document.querySelectorAll('main details').forEach(each => { each.open = true; })");
			Set<String> expected = (view.size() > 2) ? Set.of(view.get(2).split(" "))
					: words(answers().get(view.get(1)));
			browser.until(view.get(0) + " shows " + expected, () -> seen(new ArrayList<>()).containsAll(expected));
			assertIsolated();
			assertThat(browser.read("main")).as(view.get(0)).doesNotContain("[object", "undefined", "NaN");
		}
		assertThat(browser.complaints()).isEmpty();
	}

	/**
	 * Each text from outside is one of the page, too, which has a Chinese one.
	 */
	@Test
	void isNotTranslated() {
		answers().forEach((path, json) -> this.server.answer(known(path), known(json)));
		browser.open(this.server.url("/"));
		browser.script("localStorage.setItem('redelay.language', 'zh')");
		browser.open(this.server.url("/"));
		for (List<String> view : views()) {
			open(view.get(0), OutsideTextIntegrationTests::known);
			browser.see("main:not([aria-busy]) h1");
			browser.see("main", KNOWN);
			assertThat((List<?>) browser
				.script("""
						const texts = [document.title];
						for (const each of document.body.querySelectorAll('*')) {
						  texts.push(...[...each.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data),
						    ...['aria-label', 'title', 'placeholder', 'data-label'].map(name => each.getAttribute(name) || ''));
						}
						return texts.filter(text => text.includes('正在加载'));
						"""))
				.as(view.get(0))
				.isEmpty();
		}
		assertThat(browser.script("return document.documentElement.lang")).isEqualTo("zh-CN");
	}

	@Test
	void isIsolatedInQuestionsAndInWhatIsSaidOfThem() {
		ask("/queues/«queue»", "main button", "Pause", "queue");
		browser.click("dialog[open] button[type=submit]");
		browser.see(".toast");
		assertThat(seen(new ArrayList<>())).contains("queue");
		assertIsolated();
		ask("/queues/«queue»", "main button", "Change limits", "declared declarer");
		for (String action : List.of("Reschedule", "Change", "Put to the dead", "Cancel")) {
			ask("/queues/«queue»/messages/ready", ".head-actions button", action, "id");
		}
		ask("/queues/«queue»/messages/running", ".head-actions button", "Stop", "id");
		for (String action : List.of("Redrive", "Delete")) {
			ask("/queues/«queue»/messages/dead", ".head-actions button", action, "id");
		}
		ask("/queues/«queue»/dead", ".cause button", "Redrive", "deathException");
		ask("/recurring", "main button", "Remove", "recurring");
		ask("/topics/«topic»", "main button", "Replay", "group");
		ask("/topics/«topic»", "main button", "Remove", "group");
		ask("/topics/«topic»", "main button", "Delete topic", "topic");
	}

	@Test
	void isIsolatedInFailures() {
		this.server.answer(hostile("queues/«queue»"), 404, "application/json",
				hostile("{\"status\": 404, \"message\": \"«refusal»\"}"));
		open("/queues/«queue»");
		browser.see("main h1", "Not found");
		assertThat(seen(new ArrayList<>())).contains("refusal");
		assertIsolated();
		this.server.answer("queues", 503, "application/json", hostile("{\"status\": 503, \"message\": \"«trouble»\"}"));
		open("/");
		browser.see("#trouble");
		assertThat(seen(new ArrayList<>())).contains("trouble");
		assertIsolated();
	}

	private void ask(String view, String selector, String action, String expected) {
		open(view);
		browser.click(selector, action);
		browser.see("dialog[open]");
		assertThat(seen(new ArrayList<>(), "dialog[open]")).as(action).contains(expected.split(" "));
		assertIsolated();
	}

	/**
	 * Loads the page once, and leads from view to view as its links do.
	 */
	private void open(String view) {
		open(view, OutsideTextIntegrationTests::hostile);
	}

	private void open(String view, UnaryOperator<String> outside) {
		Matcher words = WORD.matcher(view);
		String address = this.server
			.url(words.replaceAll((word) -> URLEncoder.encode(outside.apply(word.group()), StandardCharsets.UTF_8)));
		if (String.valueOf(browser.driver().getCurrentUrl()).startsWith("http")) {
			browser.script("""
					document.querySelector('dialog')?.close();
					document.querySelector('main').replaceChildren();
					document.location = '#/nowhere';
					""");
			browser.see("main .empty h1");
			browser.script("document.querySelector('main').replaceChildren(); document.location = arguments[0];",
					address);
			return;
		}
		browser.open(address);
	}

	private static void assertIsolated() {
		List<String> bare = new ArrayList<>();
		seen(bare);
		assertThat(bare).as("text from outside that turns what is beside it").isEmpty();
	}

	private static List<String> seen(List<String> bare) {
		return seen(bare, "body");
	}

	/**
	 * The texts from outside that are on the page, and those in no element of their own.
	 */
	@SuppressWarnings("unchecked")
	private static List<String> seen(List<String> bare, String root) {
		List<List<String>> found = (List<List<String>>) browser.script("""
				const seen = new Set();
				const bare = [];
				const texts = document.createTreeWalker(document.querySelector(arguments[0]), NodeFilter.SHOW_TEXT);
				while (texts.nextNode()) {
				  const { data, parentElement } = texts.currentNode;
				  for (const [, word] of data.matchAll(/⟪(\\w+)⟫/g)) {
				    seen.add(word);
				    if (!parentElement.closest('bdi, pre, #live')) {
				      bare.push(`${word} in ${parentElement.outerHTML.slice(0, 200)}`);
				    }
				  }
				}
				return [[...seen], bare];
				""", root);
		bare.addAll(found.get(1));
		return found.get(0);
	}

	private static Set<String> words(String json) {
		Set<String> words = new TreeSet<>();
		WORD.matcher(json).results().forEach((word) -> words.add(word.group(1)));
		return words;
	}

	private static String known(String text) {
		return WORD.matcher(text).replaceAll((word) -> OF_SERVER.contains(word.group(1)) ? "x" : KNOWN);
	}

	private static String hostile(String text) {
		return WORD.matcher(text).replaceAll("\u202e⟪$1⟫");
	}

}
