package io.redelay.queue.admin.engine;

import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.admin.BulkJobAdmin;
import io.redelay.queue.admin.DeadLetterAdmin;
import io.redelay.queue.admin.HandlerAdmin;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueControl;
import io.redelay.queue.admin.QueueInspector;
import io.redelay.queue.admin.QueueLimitAdmin;
import io.redelay.queue.admin.TopicAdmin;
import io.redelay.queue.admin.engine.bulk.BulkRunner;
import io.redelay.queue.admin.engine.message.EditRules;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.JobsKey;
import io.redelay.queue.topic.TopicGroups;
import io.redelay.scheduling.Scheduler;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.util.function.SingletonSupplier;

/**
 * Looks at queues and acts on them through a {@link AdminScripts}. What it does that with
 * is created when it is used first: most instances only carry out jobs of others, if
 * there are any.
 *
 * @since 0.1.0
 */
public final class QueueAdminTemplate implements QueueAdmin, AutoCloseable {

	private final SingletonSupplier<AdminThemes> themes;

	private final BulkRunner runner;

	private QueueAdminTemplate(AdminScripts store, Scheduler scheduler, String instance,
			Function<BulkRunner, AdminThemes> themes) {
		this.runner = new BulkRunner(new JobsKey(store.runner()), () -> themes().work(), scheduler, instance);
		this.themes = SingletonSupplier.of(() -> themes.apply(this.runner));
		store.replayMemory().watch(this.runner::endAgain);
	}

	/**
	 * Creates a template.
	 * @param store the store
	 * @param partitions how many partitions queues have
	 * @param codec reads envelopes
	 * @param mapper reads and writes what messages died of, and reads the announcements
	 * of instances
	 * @param settings the name of this instance, and the limits of queues
	 * @param groups publishes what happens to the groups of topics
	 * @param scheduler when jobs go on, and the threads on which they may block
	 * @return the template
	 */
	public static QueueAdminTemplate of(AdminScripts store, QueuePartitions partitions, EnvelopeCodec codec,
			JsonMapper mapper, Settings settings, TopicGroups groups, Scheduler scheduler) {
		return new QueueAdminTemplate(store, scheduler, settings.instance(),
				(runner) -> AdminThemes.of(store, partitions, codec, mapper, settings, groups, runner));
	}

	private AdminThemes themes() {
		return this.themes.obtain();
	}

	@Override
	public MessageAdmin messages() {
		return themes().messages();
	}

	@Override
	public DeadLetterAdmin deadLetters() {
		return themes().deadLetters();
	}

	@Override
	public BulkJobAdmin jobs() {
		return themes().jobs();
	}

	@Override
	public TopicAdmin topics() {
		return themes().topics();
	}

	@Override
	public QueueInspector queues() {
		return themes().whole().inspector();
	}

	@Override
	public QueueControl control() {
		return themes().whole().control();
	}

	@Override
	public QueueLimitAdmin limits() {
		return themes().whole().limits();
	}

	@Override
	public HandlerAdmin handlers() {
		return themes().handlers();
	}

	/**
	 * Makes this instance look for jobs of dead instances, and carry them out. It does so
	 * by itself once it starts a job, or finds a running one when jobs are listed.
	 */
	public void runJobs() {
		this.runner.start();
	}

	/**
	 * Stops carrying out jobs in this instance; other instances take its jobs over.
	 */
	@Override
	public void close() {
		this.runner.close();
	}

	/**
	 * The settings of a {@link QueueAdminTemplate}.
	 *
	 * @param instance the display name of this instance
	 * @param limits how many messages single queues and their lines may have, by name
	 * @param edits how waiting messages may be changed
	 */
	public record Settings(String instance, Map<String, LengthLimit> limits, EditRules edits) {

		public Settings {
			limits = Map.copyOf(limits);
		}

	}

}
