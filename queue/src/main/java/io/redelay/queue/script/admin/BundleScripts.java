package io.redelay.queue.script.admin;

/**
 * The scripts of bundles of messages, each of which is kept in the queue that gets its
 * callback. Futures complete on threads that must not be blocked.
 *
 * @param bundle carries out commands on bundles
 * @param bundles reads bundles
 * @since 0.1.0
 */
public record BundleScripts(BundleScript bundle, BundlesScript bundles) {

}
