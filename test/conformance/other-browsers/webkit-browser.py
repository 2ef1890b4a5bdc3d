#!/usr/bin/python3
"""A window of WebKitGTK for its driver: no bar above the page, and the console on standard error.

MiniBrowser, which the driver would start, keeps its console to itself when it is driven.
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

home, scheme = sys.argv[1:]
look = Gtk.Settings.get_default()
look.set_property("gtk-application-prefer-dark-theme", scheme == "dark")
look.set_property("gtk-enable-animations", False)
context = WebKit2.WebContext(website_data_manager=WebKit2.WebsiteDataManager(base_data_directory=home, base_cache_directory=home))
context.set_automation_allowed(True)
context.set_preferred_languages(["en"])


def create_view(_session):
    settings = WebKit2.Settings(enable_write_console_messages_to_stdout=True, enable_media_stream=True)
    view = WebKit2.WebView(web_context=context, is_controlled_by_automation=True, settings=settings)
    window = Gtk.Window()
    window.add(view)
    window.show_all()
    return view


def start(_context, session):
    info = WebKit2.ApplicationInfo()
    info.set_name("Earshot")
    session.set_application_info(info)
    session.connect("create-web-view", create_view)


context.connect("automation-started", start)
Gtk.main()
