package io.redelay.docs;

// tag::imports[]
import java.time.Duration;
// end::imports[]
import java.util.Collection;
// tag::imports[]
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.FirstDeath;
import io.redelay.queue.bundle.MessageBundles;

import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;
// end::imports[]

/**
 * Snippets of the chapter on bundles.
 */
class Bundles {

	private final MessageBundles bundles;

	Bundles(MessageBundles bundles) {
		this.bundles = bundles;
	}

	record Line(int number, String text) {
	}

	interface Mails {

		void send(String to, String text);

	}

	// tag::send[]
	@Component
	static class Import {

		private final MessageBundles bundles;

		private final Mails mails;

		Import(MessageBundles bundles, Mails mails) {
			this.bundles = bundles;
			this.mails = mails;
		}

		void start(String name, String mail, List<Line> lines) {
			List<OutboundMessage> messages = lines.stream()
				.map((line) -> OutboundMessage.to("import-lines", line))
				.toList();
			this.bundles.send(BundleCallback.to("imports-done").id(name).header("mail", mail), messages); // <1>
		}

		@QueueListener("import-lines")
		void handle(Line line) { // <2>
			// ...
		}

		@QueueListener("imports-done")
		void done(BundleSummary summary, @Header("mail") String mail) { // <3>
			String text = summary.allAcknowledged() ? "All " + summary.total() + " lines are in"
					: summary.dead() + " of " + summary.total() + " lines failed: " + summary.deaths();
			this.mails.send(mail, text);
		}

	}
	// end::send[]

	// tag::open[]
	void readWholeFile(Iterable<List<Line>> pages) {
		Bundle bundle = this.bundles
			.open(BundleCallback.to("imports-done").id("import-17").longestOpen(Duration.ofHours(2))); // <1>
		for (List<Line> page : pages) {
			bundle.add(messages(page)); // <2>
		}
		bundle.close(); // <3>
	}
	// end::open[]

	// tag::add[]
	@QueueListener("import-files")
	void handle(String file, @Header(QueueHeaders.BUNDLE_QUEUE) String queue, @Header(QueueHeaders.BUNDLE) String id) {
		this.bundles.bundle(queue, id).add(messages(lines(file)));
	}
	// end::add[]

	record Offer(String carrier, long cents) {
	}

	// tag::results[]
	void askAll(String parcel, List<String> carriers) {
		this.bundles.send(BundleCallback.to("offers-in").id(parcel).keepResults(), // <1>
				carriers.stream().map((carrier) -> OutboundMessage.to("offers", carrier).id(carrier)).toList());
	}

	@QueueListener("offers")
	Offer ask(String carrier) {
		return new Offer(carrier, 499); // <2>
	}

	@QueueListener("offers-in")
	void choose(BundleSummary summary) {
		Optional<Offer> cheapest = summary.results(Offer.class) // <3>
			.values()
			.stream()
			.min(Comparator.comparingLong(Offer::cents));
		// ...
	}
	// end::results[]

	// tag::first-death[]
	void allOrNothing(String name, List<Line> lines) {
		this.bundles.send(BundleCallback.to("imports-done")
			.id(name)
			.onFirstDeath(FirstDeath.CANCEL_REST) // <1>
			.onFirstDeath("import-alarms", name), // <2>
				messages(lines));
	}

	@QueueListener("import-alarms")
	void alarm(String name, @Header(QueueHeaders.ORIGINAL_ID) String line,
			@Header(QueueHeaders.DEATH_REASON) String reason) { // <3>
		// ...
	}

	void giveUp(String name) {
		this.bundles.bundle("imports-done", name).cancelRest(); // <4>
	}
	// end::first-death[]

	private List<Line> lines(String file) {
		return List.of(new Line(1, file));
	}

	private static List<OutboundMessage> messages(Collection<Line> lines) {
		return lines.stream()
			.map((line) -> OutboundMessage.to("import-lines", line).id("import-17/" + line.number()))
			.toList();
	}

}
