extension MPRIS {
    /// The description of the object for tools such as `busctl introspect`.
    static let introspection = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
        <node>
          <interface name="org.freedesktop.DBus.Introspectable">
            <method name="Introspect"><arg name="xml" type="s" direction="out"/></method>
          </interface>
          <interface name="org.freedesktop.DBus.Properties">
            <method name="Get">
              <arg name="interface" type="s" direction="in"/>
              <arg name="name" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="GetAll">
              <arg name="interface" type="s" direction="in"/>
              <arg name="values" type="a{sv}" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface" type="s" direction="in"/>
              <arg name="name" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface" type="s"/><arg name="changed" type="a{sv}"/><arg name="invalidated" type="as"/>
            </signal>
          </interface>
          <interface name="org.mpris.MediaPlayer2">
            <method name="Raise"/>
            <method name="Quit"/>
            <property name="CanQuit" type="b" access="read"/>
            <property name="CanRaise" type="b" access="read"/>
            <property name="CanSetFullscreen" type="b" access="read"/>
            <property name="Fullscreen" type="b" access="readwrite"/>
            <property name="HasTrackList" type="b" access="read"/>
            <property name="Identity" type="s" access="read"/>
            <property name="SupportedMimeTypes" type="as" access="read"/>
            <property name="SupportedUriSchemes" type="as" access="read"/>
          </interface>
          <interface name="org.mpris.MediaPlayer2.Player">
            <method name="Next"/>
            <method name="OpenUri"><arg name="uri" type="s" direction="in"/></method>
            <method name="Pause"/>
            <method name="Play"/>
            <method name="PlayPause"/>
            <method name="Previous"/>
            <method name="Seek"><arg name="offset" type="x" direction="in"/></method>
            <method name="SetPosition">
              <arg name="track" type="o" direction="in"/>
              <arg name="position" type="x" direction="in"/>
            </method>
            <method name="Stop"/>
            <property name="CanControl" type="b" access="read"/>
            <property name="CanGoNext" type="b" access="read"/>
            <property name="CanGoPrevious" type="b" access="read"/>
            <property name="CanPause" type="b" access="read"/>
            <property name="CanPlay" type="b" access="read"/>
            <property name="CanSeek" type="b" access="read"/>
            <property name="LoopStatus" type="s" access="readwrite"/>
            <property name="MaximumRate" type="d" access="read"/>
            <property name="Metadata" type="a{sv}" access="read"/>
            <property name="MinimumRate" type="d" access="read"/>
            <property name="PlaybackStatus" type="s" access="read"/>
            <property name="Position" type="x" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
            <property name="Rate" type="d" access="readwrite"/>
            <property name="Volume" type="d" access="readwrite"/>
            <signal name="Seeked"><arg name="position" type="x"/></signal>
          </interface>
        </node>

        """
}
